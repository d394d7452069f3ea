#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: debian-check.sh FOLDER [ROOT]
#
# Tries the Debian packages in FOLDER in a fresh Debian 12 that debootstrap makes in ROOT (default: a temporary folder,
# removed at the end): lintian finds no error, they install with what they depend on, programs compile and run with
# each clang, an existing program runs, and after their removal nothing of them is left. As root; uses the network.
set -eu
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac

[ $# -ge 1 ] || { echo "usage: $0 FOLDER [ROOT]" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "debian-check.sh: only root can make a root folder" >&2; exit 1; }
packages=$(realpath "$1")
script=$(readlink -f "$0")

# Everything is mounted in a namespace of its own, so nothing stays mounted whatever happens.
[ "${NOWAIT_IN_NAMESPACE:-}" ] || exec env NOWAIT_IN_NAMESPACE=yes unshare -m "$script" "$@"

root=${2:-$(mktemp -d)}
[ $# -ge 2 ] || trap 'umount -R "$root/dev" "$root/proc"; rm -rf --one-file-system "$root"' EXIT
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/"
cat >"$root/etc/apt/sources.list" <<'END'
deb http://deb.debian.org/debian bookworm main
deb http://deb.debian.org/debian-security bookworm-security main
END
rm -rf "$root/root/packages"
cp -r "$packages" "$root/root/packages"
cat >"$root/root/packages/hello.c" <<'END'
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int on_host = 1;
#pragma omp target map(tofrom : on_host) nowait
    on_host = omp_is_initial_device();
#pragma omp taskwait
    printf("hello from %s\n", on_host ? "the host" : "a device");
    return on_host;
}
END
cat >"$root/root/packages/inside.sh" <<'END'
set -eux
cd /root/packages
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends lintian
lintian --allow-root --fail-on error --tag-display-limit 0 ./*.deb
apt-get install -q -y --no-install-recommends ./*.deb
for llvm in 19 22; do
    [ -e nowait-clang-$llvm\_*.deb ] || continue
    NOWAIT_LLVM=$llvm nowait-clang -O2 hello.c -o hello
    ./hello | grep 'hello from a device'
    nowait_config=/usr/lib/$(dpkg --print-architecture | sed 's/amd64/x86_64/')-linux-gnu/nowait/clang-$llvm/nowait.cfg
    clang-$llvm --config=$nowait_config hello.c -o hello
    ./hello | grep 'hello from a device'
done
clang-19 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -L/usr/lib/llvm-19/lib hello.c -o stock
nowait-run NOWAIT_STATS=1 ./stock 2>&1 | grep 'nowait: regions'
nowait-info --version
dpkg -l 'libnowait*' 'nowait-*' | awk '/^ii/ { print $2 }' >installed
apt-get purge -q -y $(cat installed)
if find / -xdev -name '*nowait*' -not -path '/root/*' -not -path '/proc/*' -not -path '/sys/*' | grep .; then
    echo "debian-check: these are left"
    exit 1
fi
END
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh /root/packages/inside.sh
echo "debian-check: all well"
