#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: debian-packages.sh FOLDER [BUILD_DIR]
#
# Builds the Debian packages into FOLDER, in BUILD_DIR (default: build-deb/). DEBFULLNAME and DEBEMAIL name the
# maintainer, as for Debian's own tools. debian-check.sh tries them in a fresh system.
set -eu
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac

[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: $0 FOLDER [BUILD_DIR]" >&2; exit 1; }
out=$(realpath -m "$1")
build=build-deb
[ $# -eq 1 ] || build=$(realpath -m "$2")
cd "$(dirname "$(readlink -f "$0")")/.."
[ "${DEBEMAIL:-}" ] || { echo "debian-packages.sh: set DEBEMAIL to the maintainer's address" >&2; exit 1; }
export DEBFULLNAME="${DEBFULLNAME:-nowait packager}" DEBEMAIL

# libomp.so.5 is on the loader's own path in Debian, and the packages' libraries are: no run path.
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DNOWAIT_MAINTAINER="$DEBFULLNAME <$DEBEMAIL>" \
    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
    -DCMAKE_SKIP_INSTALL_RPATH=ON -DNOWAIT_BUILD_TESTS=OFF -DNOWAIT_BUILD_EXAMPLES=OFF -DNOWAIT_BUILD_BENCH=OFF
cmake --build "$build" --parallel "$(nproc)"
rm -rf "$out"
mkdir -p "$out"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$out"
rm -rf "$out/_CPack_Packages"
