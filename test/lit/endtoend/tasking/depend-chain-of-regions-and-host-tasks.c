// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain that alternates between regions and host tasks keeps its order: x -> 2x+1 on the device, x -> 3x+2 on the
// host, whose composition depends on the order.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env OMP_NUM_THREADS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 200, LINKS = 8 };

static void pass(void)
{
    unsigned x = 1, expected = 1;
    for (int i = 0; i < LINKS; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x = 2 * x + 1;
#pragma omp task depend(inout : x) shared(x)
        x = 3 * x + 2;
        expected = 3 * (2 * expected + 1) + 2;
    }
#pragma omp taskwait
    CHECK_EQ(x, expected);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass();
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++)
        pass();
#pragma omp parallel num_threads(3)
    for (int i = 0; i < REPETITIONS / 3; i++)
        pass();
    return 0;
}
