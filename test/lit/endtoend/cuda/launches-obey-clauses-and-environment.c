// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many blocks and threads a region gets on a GPU, as LIBOMPTARGET_INFO=16 tells it: from its clauses, else from its
// trip count and the defaults, and never more than OMP_NUM_TEAMS and OMP_TEAMS_THREAD_LIMIT allow. The limits of the
// device's stack and heap are handed to the driver; one that it refuses is a warning. Dynamic shared memory beyond what
// every kernel may have is announced to the driver once for a kernel.
//
// RUN: %cc-cubin
// RUN: %on-cuda LIBOMPTARGET_INFO=16 %t.plugin 2>&1 | %FileCheck %s --check-prefix=PLAIN
// RUN: %on-cuda LIBOMPTARGET_INFO=16 OMP_NUM_TEAMS=4 OMP_TEAMS_THREAD_LIMIT=32 %t.plugin 2>&1 | %FileCheck %s --check-prefix=LIMITED
// RUN: %on-cuda LIBOMPTARGET_STACK_SIZE=4096 LIBOMPTARGET_HEAP_SIZE=1048576 %t.plugin limits
// RUN: %on-cuda LIBOMPTARGET_STACK_SIZE=4096 CUDAEMU_FAIL=cuCtxSetLimit@1=1 %t.plugin 2>&1 | %FileCheck %s --check-prefix=REFUSED
//
// PLAIN: main_l{{[0-9]+}} with {{\[?}}1{{(,1,1\])?}} blocks and {{\[?}}128{{(,1,1\])?}} threads in SPMD mode
// PLAIN: main_l{{[0-9]+}} with {{\[?}}3200{{(,1,1\])?}} blocks and {{\[?}}128{{(,1,1\])?}} threads in SPMD mode
// PLAIN: main_l{{[0-9]+}} with {{\[?}}7{{(,1,1\])?}} blocks and {{\[?}}64{{(,1,1\])?}} threads in SPMD mode
// PLAIN: main_l{{[0-9]+}} with {{\[?}}4{{(,1,1\])?}} blocks and {{\[?}}32{{(,1,1\])?}} threads in SPMD mode, trip count 100
// LIMITED: main_l{{[0-9]+}} with {{\[?}}1{{(,1,1\])?}} blocks and {{\[?}}32{{(,1,1\])?}} threads
// LIMITED: main_l{{[0-9]+}} with {{\[?}}4{{(,1,1\])?}} blocks and {{\[?}}32{{(,1,1\])?}} threads
// LIMITED: main_l{{[0-9]+}} with {{\[?}}4{{(,1,1\])?}} blocks and {{\[?}}32{{(,1,1\])?}} threads
// LIMITED: main_l{{[0-9]+}} with {{\[?}}4{{(,1,1\])?}} blocks and {{\[?}}32{{(,1,1\])?}} threads
// REFUSED: nowait: warning: device 0: LIBOMPTARGET_STACK_SIZE=4096: invalid argument; using the driver's default
#include "emulated.h"

static size_t limit(int which)
{
    size_t value = 0;
    CHECK_EQ(((int (*)(size_t *, int))emulated("cuCtxGetLimit"))(&value, which), 0);
    return value;
}

int main(int argc, char **argv)
{
    int x = 0, y[100];
    (void)argv;
    watchdog(60);
#pragma omp target map(tofrom : x)
    x++;
    if (argc > 1) {
        CHECK_EQ(limit(0), 4096);
        CHECK_EQ(limit(2), 1048576);
    }
#pragma omp target teams map(tofrom : x)
#pragma omp atomic
    x++;
#pragma omp target teams num_teams(7) thread_limit(64) map(tofrom : x)
#pragma omp atomic
    x++;
#pragma omp target teams distribute parallel for map(from : y)
    for (int i = 0; i < 100; i++)
        y[i] = i;
    CHECK_EQ(y[99], 99);
    /* More shared memory than every kernel may have, still more, and less again: the driver is asked twice. */
    count_calls();
    for (int round = 0; round < 4; round++) {
#pragma omp target map(tofrom : x) ompx_dyn_cgroup_mem(round == 1 ? 98304 : 65536 * (round != 2)) nowait
        x++;
    }
#pragma omp taskwait
    CHECK_EQ(calls("cuFuncSetAttribute"), 2);
    CHECK_EQ(misuses(), 0);
    return 0;
}
