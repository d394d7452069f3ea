#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: tutorial-pictures.sh BUILD_DIR [FOLDER]
#
# Compiles the programs of docs/tutorial.md, runs them traced, and draws docs/tutorial-*.svg, or those files in FOLDER.
# The machine should have nothing else to do.
set -eu
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac

[ $# -eq 1 ] || [ $# -eq 2 ] || {
    sed -n '4,7s/^# //p' "$0" >&2
    exit 2
}
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
folder=$(cd "${2:-$top/docs}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_TARGET_OFFLOAD=mandatory NOWAIT_HOST_WORKERS=4

# The last block of the tutorial whose first line is "// NAME.c".
program() {
    awk -v first="// $1.c" '
        /^```c$/ { inside = 1; text = ""; next }
        /^```$/ { if (inside && index(text, first "\n") == 1) printf "%s", text; inside = 0 }
        inside { text = text $0 "\n" }' "$top/docs/tutorial.md" >"$1.c"
    [ -s "$1.c" ] || {
        echo "tutorial-pictures.sh: no program $1.c in docs/tutorial.md" >&2
        exit 1
    }
    "$build/bin/nowait-clang" -O2 -g1 "$1.c" -o "$1"
}

# draw PROGRAM PICTURE STRETCH [NAME=VALUE...]: runs a program and draws its trace, or that stretch of it.
draw() {
    name=$1 picture=$2 stretch=$3
    shift 3
    env NOWAIT_TRACE="$picture.json" "$@" timeout 600 "./$name" >/dev/null
    # shellcheck disable=SC2086  # at most two words
    "$top/docs/trace-picture.py" "$picture.json" $stretch >"$folder/tutorial-$picture.svg"
}

for name in first order stay pieces; do
    program "$name"
done
draw first first ''
draw order order ''
draw stay stay '60% 62%'
on_gpu="NOWAIT_CUDA_LIBRARY=$build/cudaemu/libcuda.so.1 CUDAEMU_COPY_BANDWIDTH=4000000000 CUDAEMU_KERNEL_NS=200000"
# shellcheck disable=SC2086  # one setting a word
draw pieces pieces dispatch NOWAIT_HOST_DEVICES=0 $on_gpu
# shellcheck disable=SC2086
draw pieces block dispatch NOWAIT_HOST_DEVICES=0 NOWAIT_COMPLETION=block $on_gpu
