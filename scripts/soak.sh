#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs regions for minutes and shows that memory, threads and descriptors stay as they are.
set -euo pipefail

usage() {
    cat <<'END'
usage: soak.sh [--scale N] [--device cpu|gpu] [--help] [BUILD]

Runs bench/soak.c, compiled by BUILD/bin/nowait-clang (BUILD: build), first on the CPU device and then on an emulated
GPU, whose kernels only take their time: ten million regions; 200,000 in flight at once, twenty times; a million
regions by 64 threads; 20,000 threads one after the other that end with regions in flight. A line for each twentieth of
a run says how much memory, how many threads and how many descriptors the process has then.

  --scale N     a 1/N of all that (1)
  --device D    on this one alone

Exit status: 0 if nothing has grown behind the first quarter of each run, 1 if something has, 2 if it can't be run.
END
}

fail() {
    printf 'soak: %s\n' "$*" >&2
    exit 2
}

cd "$(dirname "$(readlink -f "$0")")/.."
scale=1
devices='cpu gpu'
build=build
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage && exit 0 ;;
    --scale | --device) [ $# -ge 2 ] || fail "$1: a value is missing" ;;&
    --scale) scale=$2 && shift ;;
    --device) devices=$2 && shift ;;
    -*) fail "$1: no such option; --help lists them" ;;
    *) build=$1 ;;
    esac
    shift
done
case $devices in cpu | gpu | 'cpu gpu') ;; *) fail "--device $devices: cpu or gpu" ;; esac
[[ $scale =~ ^[1-9][0-9]*$ ]] || fail "--scale $scale: a number from 1 on"
[ -x "$build/bin/nowait-clang" ] || fail "$build: not a build folder; build there first"
build=$(cd "$build" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/bin/nowait-clang" -O2 bench/soak.c -o "$work/soak" -pthread || fail 'bench/soak.c was not compiled'

grown=0
for device in $devices; do
    settings=()
    [ "$device" = cpu ] ||
        settings=(NOWAIT_CUDA_LIBRARY="$build/cudaemu/libcuda.so.1" NOWAIT_HOST_DEVICES=0 'CUDAEMU_SKIP=*'
            CUDAEMU_KERNEL_NS=1000)
    for run in 'regions 10000000' 'flight 200000' 'threads 1000000' 'churn 20000'; do
        printf '%s, on the %s:\n' "$run / $scale" "$device"
        status=0
        env "${settings[@]}" "$work/soak" "${run% *}" $((${run#* } / scale)) || status=$?
        [ $status -le 1 ] || fail "the run ended with status $status"
        [ $status -eq 0 ] || grown=1
    done
done
[ $grown -eq 0 ] && echo 'nothing has grown' || echo 'something has grown, see above' >&2
exit $grown
