#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: subproject.sh CMAKE SOURCE_DIR LLVM_MAJOR
#
# FetchContent: nowait's sources are a part of another project, which is compiled with clang and links Nowait::nowait.
set -eu

here=$(dirname "$(readlink -f "$0")")
cmake=$1
source=$2
major=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset NOWAIT_LLVM NOWAIT_CLANG LD_LIBRARY_PATH LD_PRELOAD

"$cmake" -S "$here/cmake-fetch" -B "$work/b" -DFETCHCONTENT_SOURCE_DIR_NOWAIT="$source" \
    -DCMAKE_C_COMPILER="clang-$major" -DCMAKE_CXX_COMPILER="clang++-$major" -DNOWAIT_LLVM_VERSIONS="$major" \
    -DCMAKE_C_FLAGS=-O0 -DCMAKE_CXX_FLAGS=-O0
# The program alone: what it needs of nowait must be built with it.
"$cmake" --build "$work/b" --target app --parallel 2
nm -u "$work/b/app" | grep -q __nowait_target_kernel || { echo "FAIL: the plugin was not used"; exit 1; }
"$work/b/app" | tee "$work/out"
grep -q 'ran on a device' "$work/out"
if "$cmake" --build "$work/b" --target help | grep -E 'lit|fuzz|examples'; then
    echo "FAIL: a subproject brings its tests"
    exit 1
fi
