#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: compile-emulated.sh ABI SM OUTPUT SOURCE COMPILER [OPTION...]
#
# Compiles an OpenMP program whose device image is a cubin for the emulated CUDA driver, of ELF ABI version 7 or 8, with
# x86-64 code for its kernels: the program's regions really run, and whoever runs it (stock libomptarget, libnowait)
# takes it for an NVIDIA program. Needs no CUDA toolkit. COMPILER is a clang 19 or 22 with OpenMP; OPTIONs go to each of
# its runs, -l and -L only to the link.
set -eu
abi=$1 sm=$2 output=$3 source=$4 compiler=$5
shift 5
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

target="-fopenmp -fopenmp-targets=x86_64-pc-linux-gnu"
compile= link=
for option; do
    case $option in
    -l* | -L* | -Wl,*) link="$link $option" ;;
    *) compile="$compile $option" ;;
    esac
done

# shellcheck disable=SC2086 # options are words
{
    $compiler $compile $target --offload-host-only -c "$source" -o "$work/host.o"
    $compiler $compile $target --offload-device-only -fPIC -c "$source" -o "$work/device.o"
    $compiler $compile $target --offload-device-only -fPIC -S -emit-llvm "$source" -o "$work/device.ll"
    ${CC:-cc} -shared "$work/device.o" -o "$work/device.so"
    python3 "$here/make_cubin.py" --abi "$abi" --sm "$sm" --mode 2 --code "$work/device.so" --ir "$work/device.ll" \
        -o "$work/image.cubin"
    ${CC:-cc} -c -DIMAGE="\"$work/image.cubin\"" "$here/register_image.c" -o "$work/register.o"
    $compiler $compile -fopenmp "$work/host.o" "$work/register.o" $link -o "$output"
}
