#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# manual_lists_options.sh BUILD_DIR: each tool's manual page has the options and variables that its --help has and no
# other, and nothing that troff warns of.
set -eu
build=$1
failed=0
words() {
    sed 's/\\-/-/g; s/\\f[BIR]//g' | grep -oE -e '(^|[^A-Za-z-])--[a-z][a-z-]*|NOWAIT_(LLVM|CLANG)\b' |
        grep -oE -e '--[a-z-]*|NOWAIT.*' | grep -vx -e --help | sort -u
}
for tool in nowait-clang nowait-run nowait-info; do
    "$build/bin/$tool" --help | grep -oE '^  [^ ]+' | words >"$build/test/tree/$tool.help"
    # Clang's own options are in examples and in the text only.
    grep -v -e '^nowait' -e 'cmake' -e 'offload' "$build/docs/man/$tool.1" | words >"$build/test/tree/$tool.page"
    diff "$build/test/tree/$tool.help" "$build/test/tree/$tool.page" || {
        echo "$tool: --help (<) and the manual page (>) differ"
        failed=1
    }
done
if command -v groff >/dev/null; then
    for page in "$build"/docs/man/*.[17]; do
        groff -man -Tascii -ww "$page" 2>&1 >/dev/null | grep . && failed=1
    done
fi
exit "$failed"
