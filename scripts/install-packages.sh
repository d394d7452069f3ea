#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what packages.txt lists and dpkg does not have. Without root it says which packages to install and fails.
# It asks the network only if something is missing. LLVM 22 may stay away: Debian 12 has it in bookworm-security only,
# and the build goes on with LLVM 19 alone.
set -eu
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac

here=$(dirname "$(readlink -f "$0")")

if ! command -v dpkg-query >/dev/null; then
    echo "install-packages.sh: no dpkg here: install what $here/packages.txt lists by hand" >&2
    exit 1
fi

missing=
while read -r package _; do
    case $package in '' | '#'*) continue ;; esac
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done <"$here/packages.txt"

[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "nowait needs packages that are not installed. As root:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -q

available=
absent=
for package in $missing; do
    if apt-cache show --no-all-versions "$package" >/dev/null 2>&1; then
        available="$available $package"
    else
        absent="$absent $package"
    fi
done
if [ -n "$absent" ]; then
    echo "not in this system's package sources:$absent" >&2
    echo "Debian 12 has all of them in: deb http://deb.debian.org/debian bookworm main" >&2
    echo "            and (for LLVM 22): deb http://deb.debian.org/debian-security bookworm-security main" >&2
    for package in $absent; do
        case $package in *-22 | *-22-*) ;; *) exit 1 ;; esac
    done
    echo "going on with LLVM 19 alone" >&2
fi
[ -n "$available" ] || exit 0

echo "installing:$available"
# Word splitting is meant: the list holds package names only.
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $available
