#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts_help.sh SOURCE_DIR
#
# Every script that a person may start says by --help what it does, and does nothing else.
set -eu

cd "$1"
status=0
for script in scripts/*.sh scripts/*.py bench/run.sh bench/gpu/emulated.sh examples/demo.sh docs/trace-picture.py; do
    if ! help=$(timeout 200 "./$script" --help 2>&1) || [ "$(printf '%s\n' "$help" | wc -w)" -lt 5 ]; then
        printf '%s --help: %s\n' "$script" "$help"
        status=1
    fi
done
exit $status
