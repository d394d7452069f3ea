#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: debian-packages.sh SOURCE_DIR LLVM_MAJOR...
#
# Builds the Debian packages and unpacks them into a folder: they are all there, no file is in two of them, they name
# what they need, and with what they hold a program compiles with each clang and runs. Where lintian is installed it
# finds no error. (Installing and removing them in a fresh Debian takes root and the network: scripts/debian-check.sh.)
set -eu

source=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset NOWAIT_LLVM NOWAIT_CLANG LD_LIBRARY_PATH LD_PRELOAD CC CXX CFLAGS CXXFLAGS LDFLAGS DESTDIR

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

DEBEMAIL=packager@example.org "$source/scripts/debian-packages.sh" "$work/packages" "$work/build" >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "scripts/debian-packages.sh"; }
cd "$work/packages"
expected=$(printf '%s\n' libnowait-dev libnowait0 nowait-tools && printf 'nowait-clang-%s\n' "$@")
found=$(for file in *.deb; do dpkg-deb -f "$file" Package; done)
[ "$(echo "$found" | sort)" = "$(echo "$expected" | sort)" ] || fail "packages are: $found"

# depends FILE_START WHAT...: that package depends on these.
depends() {
    start=$1
    shift
    field=$(dpkg-deb -f "$start"_*.deb Depends)
    for what; do
        case $field in *"$what"*) ;; *) fail "$start does not depend on $what: $field" ;; esac
    done
}
depends libnowait0 libc6 libffi
depends libnowait-dev 'libnowait0 (='
for major; do depends nowait-clang-$major clang-$major 'libnowait0 (='; done

for file in *.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar -t | grep -v '/$' | sort >"$file.files"
    grep -q '^\./usr/share/doc/.*/copyright$' "$file.files" || fail "$file has no copyright file"
    dpkg-deb -x "$file" "$work/root"
done
twice=$(sort -- *.files | uniq -d)
[ -z "$twice" ] || fail "in two packages: $twice"
grep -rIl -F -e "$work" -e "$source" "$work/root" && fail "these files name the place where they were built"
python3 "$source/test/tree/elf_files.py" --fortified "$work/root" || fail "files that are not safe"

# In /usr/lib the loader would find it by itself.
lib=$(dirname "$(find "$work/root" -name libnowait.so.0 -not -path '*/compat/*')")
for major; do
    NOWAIT_LLVM=$major "$work/root/usr/bin/nowait-clang" -O2 "$source/test/consumers/app.c" -o "$work/app" ||
        fail "nowait-clang of LLVM $major does not compile"
    [ "$(LD_LIBRARY_PATH=$lib timeout -s KILL 600 "$work/app")" = "the region ran on a device" ] ||
        fail "wrong output, LLVM $major"
done
LD_LIBRARY_PATH=$lib "$work/root/usr/bin/nowait-info" --version >/dev/null || fail "nowait-info --version"

if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error --tag-display-limit 0 ./*.deb >"$work/log" 2>&1 ||
        { cat "$work/log"; fail "lintian"; }
    echo "ok: lintian finds no error"
fi
echo "ok: $(echo $found)"
