#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# reference_lists_exports.sh EXPORTS REFERENCE: the reference names every function that programs may call, and no other.
set -eu
exports=$1 reference=$2
listed=$(grep -v -e '^#' -e '^__' "$exports" | sort)
named=$(grep -oE '`(llvm_omp|llvm[A-Z]|omp|ompx|ompt|nowait)_?[A-Za-z_0-9]*`' "$reference" | tr -d '`' | sort -u)
[ "$listed" = "$named" ] || {
    echo "$exports and $reference differ:"
    echo "$listed
$named" | sort | uniq -u
    exit 1
}
