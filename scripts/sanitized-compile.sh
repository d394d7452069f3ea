#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: sanitized-compile.sh SANITIZERS COMPILER [argument...]
#
# Runs a compiler, nowait-clang or stock clang with offloading, with -fsanitize=SANITIZERS. Linking takes two steps:
# clang's linker wrapper hands the archive with the sanitizer's runtime to the link of the CPU device's image as well,
# which fails, and must. So the program is first linked partially, which makes the image and embeds it, and then as if
# it had none. The image's calls of the sanitizer are resolved in the program when the image is loaded: code of regions
# is checked too.
set -eu
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac

[ $# -ge 2 ] || {
    echo "usage: $0 SANITIZERS COMPILER [argument...]" >&2
    exit 2
}
sanitize="-fsanitize=$1 -fno-sanitize-recover=all -fno-omit-frame-pointer"
compiler=$2
shift 2

# Sort the arguments: what to compile, what to link with, and the output's name.
output=a.out
whole=
take_output=
for arg do
    case $arg in -c | -S | -E | -M | -MM | -fsyntax-only | -shared | --nowait-* | --version) whole=yes ;; esac
done
if [ -n "$whole" ]; then
    # shellcheck disable=SC2086 # the flags are several words
    exec "$compiler" $sanitize "$@"
fi

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
: >"$objects/link"
count=$#
while [ "$count" -gt 0 ]; do
    arg=$1
    shift
    count=$((count - 1))
    if [ -n "$take_output" ]; then
        output=$arg take_output=
        continue
    fi
    case $arg in
    -o) take_output=yes ;;
    -l* | -L* | -Wl,*) printf '%s\n' "\"$arg\"" >>"$objects/link" ;;
    *) set -- "$@" "$arg" ;;
    esac
done

# shellcheck disable=SC2086
"$compiler" $sanitize -fno-sanitize-link-runtime -Xoffload-linker -Wl,-z,undefs "$@" -r -o "$objects/all.o"
# The empty list of targets keeps the linker wrapper out, and with it the library that it would add.
# shellcheck disable=SC2086
"$compiler" $sanitize -fopenmp -fopenmp-targets= -Wno-unused-command-line-argument \
    "$objects/all.o" "@$objects/link" -lomptarget -o "$output"
