#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: install_and_move.sh CMAKE BUILD_DIR LLVM_MAJOR...
#
# Installs, moves the installed tree to a folder with a space in its name, and uses it from there in every way that the
# manual names: the wrapper, plain flags, nowait-run and the loader's path for a binary of stock clang's, nowait-info.
set -eu

symbols=$(dirname "$(readlink -f "$0")")
cmake=$1
build=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset NOWAIT_LLVM NOWAIT_CLANG LD_LIBRARY_PATH LD_PRELOAD

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# The product must work without the tree that it was built in, so nothing may find it there.
"$cmake" --install "$build" --prefix "$work/first place" >"$work/install.log" || {
    cat "$work/install.log"
    fail "cmake --install"
}
moved="$work/moved here"
mv "$work/first place" "$moved"
bin=$moved/bin
lib=$(dirname "$(find "$moved" -name libnowait.so.0 -not -path '*/compat/*')")
for major; do
    for module in nowait-clang nowait-pass; do
        [ -f "$lib/$module-$major.so" ] || fail "$module-$major.so is not installed"
    done
done
for file in "$bin"/* "$lib"/*.so*; do
    if readelf -d "$file" 2>/dev/null | grep -E 'R(UN)?PATH' | grep -F -e "$work" -e "$build"; then
        fail "$file names the place where it was built or first installed"
    fi
    if head -c 2 "$file" | grep -q '#!' && grep -nF -e "$work" -e "$build" "$file"; then
        fail "$file names the place where it was built or first installed"
    fi
done

python3 "$symbols/elf_files.py" "$moved" || fail "files that are not safe"

cat >"$work/hello.c" <<'EOF'
#include <nowait/nowait.h>
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int on_host = 1;
#pragma omp target map(tofrom : on_host) nowait
    on_host = omp_is_initial_device();
#pragma omp taskwait
    printf("hello from %s, nowait %s\n", on_host ? "the host" : "a device", nowait_version());
    return on_host;
}
EOF
sed '/nowait\.h/d; s/nowait_version()/"linked later"/' "$work/hello.c" >"$work/stock.c"

# runs WHAT COMMAND...: the command must greet from a device, with every libnowait from the moved tree.
runs() {
    what=$1
    shift
    "$@" >"$work/out" 2>&1 || {
        cat "$work/out"
        fail "$what: status $?"
    }
    grep -q '^hello from a device' "$work/out" || {
        cat "$work/out"
        fail "$what: no region ran on a device"
    }
    echo "ok: $what"
}

cd "$work"
for major; do
    clang=/usr/lib/llvm-$major/bin/clang
    export NOWAIT_LLVM="$major"
    "$bin/nowait-clang" -Wall -Werror hello.c -o hello
    ldd hello | grep -qF "libnowait.so.0 => $lib/" || fail "LLVM $major: libnowait is not found in the moved tree"
    if readelf -d hello | grep 'NEEDED.*libomptarget'; then
        fail "LLVM $major: the program asks for libomptarget"
    fi
    runs "LLVM $major: wrapper" ./hello

    cp stock.c hello.cpp
    "$bin/nowait-clang++" hello.cpp -o hello-cpp
    runs "LLVM $major: C++ wrapper" ./hello-cpp

    # The flags that the manual gives to those who do not want a wrapper.
    "$clang" -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -fplugin="$lib/nowait-clang-$major.so" \
        -idirafter "$lib/nowait/include-$major" stock.c -o hello-flags \
        -L"$lib/nowait/compat" -lnowait -Wl,-rpath,"$lib"
    runs "LLVM $major: flags" ./hello-flags

    # Stock clang, linked with stock libomptarget of LLVM 19 (Debian installs only one).
    "$clang" -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -idirafter "$lib/nowait/include-$major" \
        -L/usr/lib/llvm-19/lib stock.c -o hello-stock
    readelf -d hello-stock | grep -q 'NEEDED.*libomptarget' || fail "LLVM $major: the stock program is not stock"
    runs "LLVM $major: nowait-run" "$bin/nowait-run" NOWAIT_STATS=1 ./hello-stock
    grep -q '^nowait: regions' out || { cat out; fail "LLVM $major: nowait-run did not use libnowait"; }
done
# Without relinking and without a wrapper: the folder on the loader's path answers for either libomptarget. Debian does
# not install both, so at link time a library with the name and the symbols stands in.
for major; do
    clang=/usr/lib/llvm-$major/bin/clang
    mkdir -p "link-$major"
    {
        echo '#include <stddef.h>'
        grep -v '^#' "$symbols/libomptarget-$major.1.symbols" | sed 's/.*/void &(void); void &(void) {}/'
    } >stand-in.c
    echo 'VERS1.0 { *; };' >stand-in.map
    cc -shared -fno-builtin -Wl,-soname,"libomptarget.so.$major.1" -Wl,--version-script,stand-in.map stand-in.c \
        -o "link-$major/libomptarget.so"
    "$clang" -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -idirafter "$lib/nowait/include-$major" \
        -L"link-$major" -L/usr/lib/llvm-19/lib stock.c -o hello-path
    path=$lib/nowait/compat:/usr/lib/llvm-19/lib
    LD_LIBRARY_PATH=$path ldd hello-path | grep -qF "libomptarget.so.$major.1 => $lib/nowait/compat/" ||
        fail "LLVM $major: libomptarget.so.$major.1 is not taken from the folder"
    runs "LLVM $major: LD_LIBRARY_PATH" env LD_LIBRARY_PATH="$path" NOWAIT_STATS=1 ./hello-path
    grep -q '^nowait: regions' out || { cat out; fail "LLVM $major: LD_LIBRARY_PATH did not bring libnowait"; }
    if grep 'no version information' out; then
        fail "LLVM $major: symbols have another version than stock's"
    fi
done
"$bin/nowait-info" >out || fail "nowait-info: status $?"
grep -q '^device 0' out || { cat out; fail "nowait-info shows no device"; }
echo "ok: nowait-info"

# With one plugin alone, as packages may leave it, the wrapper uses that.
if [ $# -gt 1 ]; then
    unset NOWAIT_LLVM
    rm "$lib/nowait-clang-$1.so"
    "$bin/nowait-clang" --nowait-show -c hello.c | grep -q "nowait-clang-$2\.so" ||
        fail "the wrapper does not use the only plugin that is installed"
    echo "ok: the wrapper with one plugin"
fi
