#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# reference_lists_exports.sh EXPORTS HEADER REFERENCE: the reference names every function that programs may call, and no
# other, and every figure of struct nowait_stats.
set -eu
exports=$1 header=$2 reference=$3
for figure in $(sed -n '/^struct nowait_stats/,/^}/s/^ *uint64_t \([a-z_]*\);.*/\1/p' "$header"); do
    grep -q "^|.*\`$figure\`.*|.*|" "$reference" || {
        echo "$reference does not explain the figure $figure"
        exit 1
    }
done
listed=$(grep -v -e '^#' -e '^__' "$exports" | sort)
named=$(grep -oE '`(llvm_omp|llvm[A-Z]|omp|ompx|ompt|nowait)_?[A-Za-z_0-9]*`' "$reference" | tr -d '`' | sort -u)
[ "$listed" = "$named" ] || {
    echo "$exports and $reference differ:"
    echo "$listed
$named" | sort | uniq -u
    exit 1
}
