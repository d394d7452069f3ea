#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fault-everywhere.sh PROGRAM PREFIX FAULTS: runs the program once for each function of the driver's that it uses and
# each fault: N=R lets the function's Nth call answer R (2 is out of memory, 719 a failed launch).
set -u
program=$1 prefix=$2 faults=$3
report=$(mktemp) output=$(mktemp)
trap 'rm -f "$report" "$output"' EXIT
$prefix CUDAEMU_REPORT="$report" "$program" || exit 1
tried=0
for function in $(sed -n 's/^cudaemu: calls \([^ ]*\) .*/\1/p' "$report"); do
    case $function in cuGetErrorString) continue ;; esac
    for fault in $faults; do
        status=0
        $prefix CUDAEMU_FAIL="$function@$fault" timeout 30 "$program" >"$output" 2>&1 || status=$?
        tried=$((tried + 1))
        case $status in
        0) continue ;;
        1) ! grep -q 'check failed' "$output" && grep -q '^nowait: error: ' "$output" && continue ;;
        esac
        echo "$function, call and answer $fault: status $status"
        cat "$output"
        exit 1
    done
done
echo "$tried faults"
[ "$tried" -gt 50 ]
