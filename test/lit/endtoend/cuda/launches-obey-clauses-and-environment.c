// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many blocks and threads a region gets on a GPU, as LIBOMPTARGET_INFO=16 tells it: from its clauses, else from its
// trip count and the defaults, and never more than OMP_NUM_TEAMS and OMP_TEAMS_THREAD_LIMIT allow. The limits of the
// device's stack and heap are handed to the driver; one that it refuses is a warning. Dynamic shared memory beyond what
// every kernel may have is announced to the driver once for a kernel.
//
// RUN: %cc-plugin
// RUN: %on-cuda LIBOMPTARGET_INFO=16 %t.plugin 2>&1 | %FileCheck %s --check-prefix=PLAIN
// RUN: %on-cuda LIBOMPTARGET_INFO=16 OMP_NUM_TEAMS=4 OMP_TEAMS_THREAD_LIMIT=32 %t.plugin 2>&1 | %FileCheck %s --check-prefix=LIMITED
// RUN: %on-cuda LIBOMPTARGET_STACK_SIZE=4096 LIBOMPTARGET_HEAP_SIZE=1048576 %t.plugin limits 2>&1 | %FileCheck %s --check-prefix=NONE --allow-empty
// RUN: %on-cuda LIBOMPTARGET_STACK_SIZE=4096 CUDAEMU_FAIL=cuCtxSetLimit@1=1 %t.plugin 2>&1 | %FileCheck %s --check-prefix=REFUSED
//
// PLAIN: main_l{{[0-9]+}} with 1 blocks and 128 threads in Bare mode
// PLAIN-NEXT: main_l{{[0-9]+}} with 1 blocks and
// PLAIN-NEXT: main_l{{[0-9]+}} with 7 blocks and 64 threads
// PLAIN-NEXT: main_l{{[0-9]+}} with 1 blocks and
// LIMITED: main_l{{[0-9]+}} with 1 blocks and 32 threads
// LIMITED-NEXT: main_l{{[0-9]+}} with 1 blocks and
// LIMITED-NEXT: main_l{{[0-9]+}} with 4 blocks and 32 threads
// NONE-NOT: {{.}}
// REFUSED: nowait: warning: device 0: LIBOMPTARGET_STACK_SIZE=4096: invalid argument; using the driver's default
#include "emulated.h"

int main(int argc, char **argv)
{
    int x = 0;
    (void)argv;
    watchdog(60);
#pragma omp target map(tofrom : x)
    x++;
#pragma omp target teams map(tofrom : x)
#pragma omp atomic
    x++;
#pragma omp target teams num_teams(7) thread_limit(64) map(tofrom : x)
#pragma omp atomic
    x++;
    return 0;
}
