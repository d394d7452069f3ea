// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_STACKSIZE holds for the threads of the CPU devices too (OpenMP 5.2, 21.2.2): a region that needs 40 MiB of stack
// runs with 64 MiB, and without a word about it 12 MiB are there. A bad size is told once, a size for which there is no
// memory ends the program with a line that names the setting.
//
// RUN: %cc-both
// RUN: env OMP_STACKSIZE=64M %t.plugin 40
// RUN: env OMP_STACKSIZE=65536 NOWAIT_COMPLETION=block %nowait-run %t.stock 40
// RUN: env -u OMP_STACKSIZE %t.plugin 12
// RUN: env OMP_STACKSIZE=4M %t.plugin 12
// RUN: env OMP_STACKSIZE=64MB %t.plugin 12 2>&1 | %FileCheck --check-prefix=BAD %s
// RUN: sh -c "ulimit -v 8000000; OMP_STACKSIZE=64G %t.plugin 12" > %t.out 2>&1 || true
// RUN: %FileCheck --check-prefix=FULL --implicit-check-not=egmentation %s < %t.out
//
// BAD: nowait: warning: OMP_STACKSIZE=64MB is not one of: 16K to 1024G (units B, K, M, G); using the default, 16M
// FULL: no thread for the CPU devices could be started; raise the limit on processes, or lower OMP_STACKSIZE
//
// REQUIRES: device-host
#include "check.h"

#pragma omp begin declare target
static __attribute__((noinline)) int use_mebibytes(int n)
{
    volatile char block[1 << 20];
    memset((void *)block, n, sizeof block);
    int below = n > 1 ? use_mebibytes(n - 1) : 0;
    return below + (block[n] == n);
}
#pragma omp end declare target

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0, used = 0;
    watchdog(60);
#pragma omp target map(tofrom : used) nowait
    used = use_mebibytes(n);
#pragma omp taskwait
    CHECK_EQ(used, n);
    return 0;
}
