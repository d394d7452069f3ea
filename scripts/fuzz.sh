#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the fuzz targets with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer and runs each for a while.
set -euo pipefail

usage() {
    cat <<'END'
usage: fuzz.sh [--seconds N] [--build FOLDER] [--help] [TARGET...]

Runs the fuzz targets of test/fuzz (images, mapping, settings; without names all of them), one after the other, each for
N seconds (60). They begin with test/fuzz/corpus/TARGET, which stays as it is, and keep what they find in
FOLDER/corpus/TARGET (FOLDER: build-fuzz), so that a later run goes on from there.

An input that ends a target is written to FOLDER/faults/TARGET-*. To repeat it: FOLDER/test/fuzz/fuzz_TARGET INPUT. Once
the fault is mended, put the input into test/fuzz/corpus/TARGET under a name that says what it was, ending in .bin.
END
}

fail() {
    printf 'fuzz: %s\n' "$*" >&2
    exit 2
}

cd "$(dirname "$(readlink -f "$0")")/.."
seconds=60
build=build-fuzz
targets=()
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage && exit 0 ;;
    --seconds | --build) [ $# -ge 2 ] || fail "$1: a value is missing" ;;&
    --seconds) seconds=$2 && shift ;;
    --build) build=$2 && shift ;;
    -*) fail "$1: no such option; --help lists them" ;;
    *)
        [ -f "test/fuzz/fuzz_$1.c" ] || fail "$1: no such target; --help lists them"
        targets+=("$1")
        ;;
    esac
    shift
done
case $seconds in '' | *[!0-9]* | 0*) fail "--seconds $seconds: not a number of seconds" ;; esac
[ ${#targets[@]} -gt 0 ] || targets=(images mapping settings)

cmake --preset fuzz -B "$build" >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]/#/fuzz_}"
mkdir -p "$build/faults"
found=
for target in "${targets[@]}"; do
    mkdir -p "$build/corpus/$target"
    log=$build/faults/$target.log
    echo "== $target: $seconds s"
    if "$build/test/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -close_fd_mask=2 \
        -print_final_stats=1 -artifact_prefix="$build/faults/$target-" "$build/corpus/$target" \
        "test/fuzz/corpus/$target" >"$log" 2>&1; then
        grep -E '^stat::number_of_executed_units|^Done' "$log" || true
    else
        tail -n 60 "$log"
        found="$found $target"
    fi
done
[ -z "$found" ] || { echo "fuzz: FAULTS:$found; see --help for what to do with $build/faults" >&2; exit 1; }
