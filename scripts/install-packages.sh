#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what packages.txt lists and dpkg does not have. Without root it says which packages to install and fails.
# It asks the network only if something is missing.
set -eu

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

echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# Word splitting is meant: the list holds package names only.
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $missing
