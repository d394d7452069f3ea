#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# readme_lists_settings.sh NOWAIT_INFO README: the README's table is the one that the program prints.
set -eu
info=$1 readme=$2
"$info" --markdown | while IFS= read -r line; do
    [ -z "$line" ] || grep -qxF -e "$line" "$readme" || {
        printf 'not in %s: %s\n' "$readme" "$line" >&2
        exit 1
    }
done
