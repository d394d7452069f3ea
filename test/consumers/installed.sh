#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: installed.sh CMAKE BUILD_DIR LLVM_MAJOR...
#
# Installs nowait, moves it to a folder with a space in its name, and builds the projects beside this script against it.
# Every program must have been rewritten by the plugin, find the runtime in the moved tree, and run on a device.
# (Wrapper, flags, nowait-run and the loader's path by hand: test/tree/install_and_move.sh.)
set -eu

here=$(dirname "$(readlink -f "$0")")
cmake=$1
build=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset NOWAIT_LLVM NOWAIT_CLANG LD_LIBRARY_PATH LD_PRELOAD CC CXX CFLAGS CXXFLAGS LDFLAGS
unset CMAKE_PREFIX_PATH PKG_CONFIG_PATH

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

"$cmake" --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; fail "cmake --install"; }
nowait="$work/moved here"
mv "$work/first" "$nowait"
ln -s "$nowait" "$work/linked"
lib=$(dirname "$(find "$nowait" -name libnowait.so.0 -not -path '*/compat/*')")
if grep -rIl -F -e "$work" -e "$build" "$nowait"; then
    fail "these files name the place where they were built or first installed"
fi
# Projects may write into their source folders.
cp -r "$here" "$work/projects"
cd "$work/projects"

# quietly COMMAND...: its output only if it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "$*"; }
}

# right WHAT PROGRAM: the program is rewritten, finds the moved runtime, and its region runs on a device.
right() {
    nm -u "$2" | grep -q __nowait_target_kernel || fail "$1: the plugin was not used"
    found=$(ldd "$2" | sed -n 's/.*libnowait.so.0 => \(.*\) (0x.*/\1/p')
    [ "$(readlink -f "$found")" = "$(readlink -f "$lib/libnowait.so.0")" ] ||
        { ldd "$2"; fail "$1: libnowait is not found in the moved tree"; }
    if readelf -d "$2" | grep 'NEEDED.*libomptarget'; then fail "$1: the program asks for libomptarget"; fi
    timeout -s KILL 600 "$2" >"$work/out" 2>&1 || { cat "$work/out"; fail "$1: status $?"; }
    grep -qx 'the region ran on a device' "$work/out" || { cat "$work/out"; fail "$1: wrong output"; }
    echo "ok: $1"
}

for major; do
    what="LLVM $major"
    b=$work/b$major

    # find_package; built, and installed elsewhere.
    quietly "$cmake" -S cmake-package -B "$b/package" -DCMAKE_C_COMPILER="clang-$major" \
        -DCMAKE_CXX_COMPILER="clang++-$major" -DCMAKE_PREFIX_PATH="$nowait"
    quietly "$cmake" --build "$b/package" --parallel 2
    quietly "$cmake" --install "$b/package" --prefix "$b/installed"
    right "$what: find_package, C" "$b/package/app"
    right "$what: find_package, C++, installed" "$b/installed/bin/app-cpp"

    # The same for GPUs: the flags only, since compiling needs CUDA's ptxas. Clang 19 is told where Debian puts the
    # device runtime.
    for arch in sm_90 native; do
        quietly "$cmake" -S cmake-package -B "$b/$arch" -DCMAKE_C_COMPILER="clang-$major" \
            -DCMAKE_CXX_COMPILER="clang++-$major" -DCMAKE_PREFIX_PATH="$nowait" -DNOWAIT_OFFLOAD_ARCH="$arch" \
            -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
        for source in app.c app.cpp; do
            flags=$(grep "\"command\".*$source" "$b/$arch/compile_commands.json")
            case $flags in
            *-fopenmp-targets=*) fail "$what: $source is compiled for the CPU device, too: $flags" ;;
            *" --offload-arch=$arch "*) ;;
            *) fail "$what: $source is not compiled for $arch: $flags" ;;
            esac
            case $major:$flags in
            19:*" --libomptarget-nvptx-bc-path=/usr/lib/llvm-19/lib "*) ;;
            19:* | *--libomptarget-nvptx-bc-path=*) fail "$what: $source for $arch, device runtime: $flags" ;;
            esac
        done
    done
    echo "ok: $what: find_package, NOWAIT_OFFLOAD_ARCH"

    # pkg-config, with make. It does not quote spaces in the linker's options.
    quietly env PKG_CONFIG_PATH="$work/linked/${lib#"$nowait"/}/pkgconfig" make -B -C pkg-config LLVM="$major"
    right "$what: pkg-config" pkg-config/app

    # A configuration file of clang's; compiled and linked apart and in one step.
    quietly "clang-$major" --config="$lib/nowait/clang-$major/nowait.cfg" -Wall -Werror -c app.c -o app.o
    quietly "clang-$major" --config="$lib/nowait/clang-$major/nowait.cfg" -Wall -Werror app.o -o "$b/config"
    right "$what: clang --config" "$b/config"
    quietly "clang-$major" --config-user-dir="$lib/nowait/clang-$major" --config=nowait.cfg app.c -o "$b/config"
    right "$what: clang --config=nowait.cfg" "$b/config"

    # A Makefile with the flags in it. (Its folder is lib.)
    quietly make -B -C makefile NOWAIT="$nowait" LIB="$lib" LLVM="$major"
    right "$what: Makefile" makefile/app
done

# The wrapper as the compiler of projects that know nothing of it. One LLVM is enough: the wrapper's tests try each.
quietly "$cmake" -S cmake-plain -B "$work/plain" -DCMAKE_C_COMPILER="$nowait/bin/nowait-clang"
quietly "$cmake" --build "$work/plain"
right "CMAKE_C_COMPILER=nowait-clang" "$work/plain/app"
(
    cd autoconf
    quietly autoconf
    # A CC is split at spaces, so the wrapper is found by PATH.
    export PATH="$nowait/bin:$PATH" CC=nowait-clang
    quietly ./configure
    quietly make
)
right "CC=nowait-clang ./configure" autoconf/app

# A compiler without a plugin is named, and what to do.
if "$cmake" -S cmake-package -B "$work/gcc" -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
    -DCMAKE_PREFIX_PATH="$nowait" >"$work/log" 2>&1; then
    fail "find_package accepts GCC"
fi
tr -s ' \n' ' ' <"$work/log" |
    grep -q "nowait has plugins for clang $1.*but the C compiler is GNU.*-DCMAKE_C_COMPILER" || {
    cat "$work/log"
    fail "find_package does not say why it refuses GCC"
}
echo "ok: find_package refuses GCC"

# The environment module, as a shell would load it.
modulecmd=
for candidate in /usr/lib/*/modulecmd.tcl /usr/share/modules/libexec/modulecmd.tcl; do
    [ ! -e "$candidate" ] || modulecmd=$candidate
done
[ -n "$modulecmd" ] || fail "no environment-modules: scripts/packages.txt lists what the tests need"
(
    commands=$(MODULEPATH=$nowait/share/nowait/modulefiles "$modulecmd" sh load nowait 2>"$work/log") ||
        { cat "$work/log"; fail "module load fails"; }
    eval "$commands"
    [ "${NOWAIT_ROOT:-}" = "$nowait" ] || { cat "$work/log"; fail "module load: NOWAIT_ROOT is '${NOWAIT_ROOT:-}'"; }
    [ "$(command -v nowait-clang)" = "$nowait/bin/nowait-clang" ] || fail "module load: nowait-clang is not in PATH"
    quietly env PKG_CONFIG_PATH="$work/linked/${PKG_CONFIG_PATH#"$nowait"/}" make -B -C pkg-config LLVM="$1"
    right "module load, then pkg-config" pkg-config/app
)
