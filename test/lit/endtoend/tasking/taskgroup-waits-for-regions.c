// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a taskgroup waits for the regions in it and for those of its descendant tasks.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 1000, CHILDREN = 4 };

static void pass(int seed)
{
    int direct = 0, nested[CHILDREN] = {0};
#pragma omp taskgroup
    {
#pragma omp target map(tofrom : direct) firstprivate(seed) nowait
        direct += seed;
        for (int c = 0; c < CHILDREN; c++) {
#pragma omp task shared(nested) firstprivate(c, seed)
            {
                int *mine = &nested[c];
#pragma omp target map(tofrom : mine [0:1]) firstprivate(c, seed) nowait
                mine[0] += seed + c;
            }
        }
    }
    CHECK_EQ(direct, seed);
    for (int c = 0; c < CHILDREN; c++)
        CHECK_EQ(nested[c], seed + c);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
    return 0;
}
