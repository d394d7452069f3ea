#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: exports_match_stock.sh LIBNOWAIT
#
# Every symbol that stock libomptarget exports is there, as a function and under the same version node. The stock names
# are kept as lists beside this script; where a stock library is installed, its list is checked against it.
# libomptarget-missing.symbols holds names that are allowed to be absent: each must be absent, so the list only shrinks.
set -eu
export LC_ALL=C

library=$(readlink -f "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fault() {
    while read -r name; do
        echo "$1: $name"
        failed=1
    done
}

# names FILE: the functions that a library exports under VERS1.0.
names() {
    nm -D --defined-only "$1" | awk '$2 == "T" && sub(/@@VERS1\.0$/, "", $3) { print $3 }' | sort
}

# listed FILE: the names in one of the lists.
listed() {
    grep -v '^#' "$1" | sort
}

names "$library" >"$work/ours"
listed libomptarget-missing.symbols >"$work/missing"
for version in 19.1 22.1; do
    listed "libomptarget-$version.symbols" >"$work/stock"
    [ -s "$work/stock" ] || { echo "libomptarget-$version.symbols is empty"; exit 1; }
    comm -23 "$work/stock" "$work/ours" | comm -23 - "$work/missing" >"$work/faults"
    fault "exported by libomptarget.so.$version, not by libnowait" <"$work/faults"
    cat "$work/stock" >>"$work/all"
    installed=/usr/lib/llvm-${version%.1}/lib/libomptarget.so.$version
    if [ -f "$installed" ]; then
        names "$installed" | comm -3 - "$work/stock" >"$work/faults"
        fault "libomptarget-$version.symbols differs from $installed" <"$work/faults"
    fi
done
comm -12 "$work/missing" "$work/ours" >"$work/faults"
fault "exported by now: take it out of libomptarget-missing.symbols" <"$work/faults"
sort -u "$work/all" | comm -13 - "$work/missing" >"$work/faults"
fault "in libomptarget-missing.symbols, but no stock library has it" <"$work/faults"
[ "$failed" -eq 0 ]
echo "ok: $(wc -l <"$work/ours") names, $(wc -l <"$work/missing") of stock's missing"
