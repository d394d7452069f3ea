#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# gpu-check.sh SOURCE BUILD: what scripts/gpu-check.sh packs for a machine with a GPU runs there: from another place,
# without the environment of a build, on the emulated driver. Every program passes, and every figure is there.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "gpu-check: $*" >&2
    exit 1
}

"$source/scripts/gpu-check.sh" pack "$build" "$work/packed" emulated >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "pack failed"; }
! grep 'left out' "$work/log" || fail "programs do not compile"
mkdir "$work/elsewhere"
mv "$work/packed" "$work/elsewhere/carried"
env -i PATH=/usr/bin:/bin HOME="$work" "$work/elsewhere/carried/gpu-check.sh" run "$work/elsewhere/carried" \
    >"$work/log" 2>&1 || { cat "$work/log"; fail "run failed"; }
tail -n 1 "$work/log" | grep -q 'all that was run passed' || { cat "$work/log"; fail "no last line"; }
for variant in stock nowait-word nowait-event nowait-poll; do
    for metric in first-region launch independent chain idle-cpu release release-p99 flight-launch copy-pageable \
        copy-pinned overlap-pageable overlap-pinned raw-launch; do
        grep -q "^$variant,$metric," "$work/elsewhere/carried/results.csv" ||
            { cat "$work/log"; fail "no figure $metric of $variant"; }
    done
done
