#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/gpu/emulated.sh BUILD [ROUNDS [OPTION...]]
#
# Runs bench/gpu/emulated_rows.c on the emulated CUDA driver, in turn with stock libomptarget 19 and with this runtime,
# ROUNDS times (3), and prints one CSV line a figure: variant,metric,unit,least,median,most,repetitions. OPTIONs are the
# program's, e.g. --sequence 10000000. What stock does not finish in 10 minutes is said on standard error.
set -eu
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac

[ $# -ge 1 ] || { sed -n 's/^# \(usage: .*\)/\1/p' "$0"; exit 2; }
build=$(readlink -f "$1") rounds=${2:-3}
shift $(($# < 2 ? $# : 2))
source=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
llvm=${NOWAIT_LLVM_19:-/usr/lib/llvm-19}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() {
    NOWAIT_LLVM=19 sh "$source/test/runtime/cudaemu/compile-emulated.sh" 7 90 "$@"
}
program=$source/bench/gpu/emulated_rows.c
compile "$work/nowait" "$program" "$build/bin/nowait-clang" -O2
compile "$work/stock" "$program" "$llvm/bin/clang" -O2 "-L$llvm/lib" -lomptarget

for _ in $(seq "$rounds"); do
    for variant in stock nowait; do
        LD_LIBRARY_PATH=$build/cudaemu:$llvm/lib CUDAEMU_STRICT_CONTEXT=0 OMP_TARGET_OFFLOAD=mandatory \
            CUDAEMU_SKIP='*_launch_l*,*_independent_l*,*_release_l*' \
            timeout 600 "$work/$variant" "$@" >"$work/rows" || echo "emulated.sh: $variant did not finish" >&2
        sed "s/^/$variant,/" "$work/rows"
    done
done
