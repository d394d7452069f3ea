#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: check-tree.sh [libnowait.so]
#
# Checks what no compiler checks: which folder includes which, who reads the environment, and the form of the files.
# With a library, also that it exports exactly what runtime/exports.txt lists, and that it can be loaded late.
# Prints each fault as file:line: what.
set -eu
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac
export LC_ALL=C

library=
[ $# -eq 0 ] || library=$(readlink -f "$1")
cd "$(dirname "$(readlink -f "$0")")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=$work/faults
: >"$faults"

# Files of the tree, with new ones that git does not know yet; in an unpacked archive without git, all files.
if [ -e .git ] && command -v git >/dev/null; then
    git -c safe.directory='*' ls-files --cached --others --exclude-standard
else
    find . -type f -not -path './build*' -not -path './.git/*' | sed 's|^\./||'
fi | sort -u | while read -r file; do
    # A file may have been removed without git having been told.
    [ ! -f "$file" ] || echo "$file"
done >"$work/all"
grep -vE '^(LICENSE|examples/data/|.*/Inputs/data/|.*\.(png|ppm|pgm|csv|bin))' "$work/all" >"$work/text"
grep -E '(\.(c|h|cpp|hpp|def|sh|py|cmake|in|cfg|test|map|txt)|/CMakeLists\.txt|Makefile|^\.ci/run)$' "$work/text" \
    >"$work/sources"

# fault WHAT: reads file:line:... lines of grep and records each with the reason.
fault() {
    while read -r line; do
        printf '%s  <-- %s\n' "$line" "$1" >>"$faults"
    done
}

# search PATTERN [FOLDER...]: grep -nE over the C and C++ files of the folders.
search() {
    pattern=$1
    shift
    for folder; do
        grep -E "^$folder/.*\.(c|h|cpp|def)$" "$work/text" || true
    done | tr '\n' '\0' | xargs -0 -r grep -nHE -e "$pattern" || true
}

# --- folders point one way: omptarget, tasking -> core -> device -> support -------------------------------------------

search '#include "(omptarget)/' runtime/tasking | fault "tasking must not include omptarget"
search '#include "(omptarget|tasking)/' runtime/core | fault "core must not include the layers above it"
search '#include "(omptarget|tasking|core)/' runtime/device | fault "device must not include the layers above it"
search '#include "(omptarget|tasking|core|device)/' runtime/support | fault "support must not include other layers"
for backend in runtime/device/*/; do
    name=$(basename "$backend")
    search "#include \"device/$name/" runtime | grep -v "^runtime/device/$name/" |
        fault "only the backend $name itself may include its headers"
done
search '#include ["<](llvm|llvm-c|clang)/' runtime include tools | fault "only the plugin may include LLVM"
search '#include "(nowait|support|core|device|tasking|omptarget|runtime)/' clang-plugin | grep -v '"nowait/abi.h"' |
    fault "the plugin shares only nowait/abi.h with the runtime"

# --- the environment is read in one place -----------------------------------------------------------------------------

search '(^|[^_[:alnum:]])((secure_)?getenv|ato(i|l|ll|f)|environ)([^_[:alnum:]]|$)' \
    runtime/core runtime/device runtime/omptarget runtime/tasking clang-plugin |
    grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)' |
    fault "only runtime/support may read the environment or parse numbers from it"

# --- the form of files ------------------------------------------------------------------------------------------------

grep -vE '(^|/)Makefile(\.in)?$' "$work/text" | tr '\n' '\0' | xargs -0 -r grep -nHI "$(printf '\t')" | fault "tab"
tr '\n' '\0' <"$work/text" | xargs -0 -r grep -nHIE '[[:space:]]+$' | fault "white space at the end of the line"
tr '\n' '\0' <"$work/sources" |
    xargs -0 -r grep -L 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' | fault "no SPDX line"
# A command or an expectation of a lit test is one line, however long.
while read -r file; do
    awk -v file="$file" '
        file ~ /^test\/lit\// && /^(\/\/|#|;) [A-Z0-9_-]+(\{LITERAL\})?:/ { next }
        length($0) > 120 { printf "%s:%d: %d columns  <-- more than 120\n", file, NR, length($0) }
        END { if (NR > 1000) printf "%s:%d:  <-- more than 1000 lines\n", file, NR }' "$file" >>"$faults"
done <"$work/sources"
for folder in runtime clang-plugin; do
    grep -E "^$folder/.*\.[ch](pp)?\$" "$work/text" | sed 's|.*/||' | sort | uniq -d |
        fault "two source files of $folder have this name"
done
# Nothing is checked by what -O leaves out.
grep -E '\.py$' "$work/sources" | tr '\n' '\0' | xargs -0 -r grep -nHE '^[[:space:]]*assert[[:space:](]' |
    fault "assert in Python"

# --- the library's face -----------------------------------------------------------------------------------------------

if [ -n "$library" ] && [ -f runtime/exports.txt ]; then
    # Type A is the name of a version node.
    nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
    sed 's/#.*//; s/[[:space:]]*$//; /^$/d; s/@.*//' runtime/exports.txt | sort -u >"$work/listed"
    comm -23 "$work/exported" "$work/listed" | fault "exported by the library, not in runtime/exports.txt"
    comm -13 "$work/exported" "$work/listed" | fault "in runtime/exports.txt, not exported by the library"
fi

# A library that is loaded while the program runs (a Python extension) finds room for some 1600 bytes, for all libraries
# together: ours, libomp's and the C++ library's.
if [ -n "$library" ]; then
    bytes=$(($(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')))
    [ "$bytes" -le 1024 ] || echo "thread-local variables of $bytes bytes" | fault "more than 1024"
fi

if [ -s "$faults" ]; then
    cat "$faults"
    echo "check-tree: $(wc -l <"$faults") faults"
    exit 1
fi
echo "check-tree: $(wc -l <"$work/text") files, no faults"
