#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds and runs every test: all of them in the plain build, then those of the runtime under each sanitizer.
# Goes on after a failure, so that one run shows all of them; fails if anything did.
# With presets as arguments, only those. With CHECK_EVERYTHING=1 in the environment, the end-to-end programs run in
# every mode on every LLVM, and all of them also on the emulated GPU.
set -u
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac

cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
jobs=$(nproc)
everything=OFF
[ "${CHECK_EVERYTHING:-}" != 1 ] || everything=ON
failed=
[ $# -gt 0 ] || set -- dev asan-ubsan tsan

for preset in "$@"; do
    started=$(date +%s)
    echo "== $preset: build"
    if ! { cmake --preset "$preset" -DNOWAIT_TEST_EVERYTHING="$everything" &&
         cmake --build --preset "$preset" --parallel "$jobs"; }; then
        failed="$failed $preset(build)"
        continue
    fi
    echo "== $preset: test"
    ctest --preset "$preset" || failed="$failed $preset(tests)"
    echo "== $preset: $(($(date +%s) - started)) s"
done

if [ -n "$failed" ]; then
    echo "check: FAILED:$failed"
    exit 1
fi
echo "check: all passed ($*)"
