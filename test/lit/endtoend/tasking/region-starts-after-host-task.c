// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region that depends on a host task reads what the task wrote, although the task takes its time and the region's
// construct was passed long before.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 30 };

static void pass(int seed)
{
    int x = -1, y = -1;
#pragma omp task depend(out : x) shared(x) firstprivate(seed)
    {
        sleep_us(5000);
        x = seed;
    }
#pragma omp target map(to : x) map(from : y) depend(in : x) depend(out : y) nowait
    y = x + 1;
#pragma omp task depend(inout : y) shared(y)
    y = y * 2;
#pragma omp taskwait
    CHECK_EQ(y, 2 * (seed + 1));
}

int main(void)
{
    watchdog(40);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
#pragma omp parallel num_threads(3)
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
    return 0;
}
