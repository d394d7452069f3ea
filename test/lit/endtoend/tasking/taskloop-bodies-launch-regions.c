// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskloop whose bodies launch regions: the implicit taskgroup waits for them too, with and without a nogroup taskloop
// inside a taskgroup.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 300, N = 12 };

static void pass(int seed)
{
    int a[N], b[N];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
#pragma omp taskloop grainsize(2) shared(a) firstprivate(seed)
    for (int i = 0; i < N; i++) {
        int *element = &a[i];
#pragma omp target map(tofrom : element [0:1]) firstprivate(i, seed) nowait
        element[0] += seed * i;
    }
    for (int i = 0; i < N; i++)
        CHECK_EQ(a[i], seed * i);

#pragma omp taskgroup
    {
#pragma omp taskloop num_tasks(4) nogroup shared(b) firstprivate(seed)
        for (int i = 0; i < N; i++) {
            int *element = &b[i];
#pragma omp target map(tofrom : element [0:1]) depend(inout : b[i]) firstprivate(i, seed) nowait
            element[0] += seed + i;
        }
    }
    for (int i = 0; i < N; i++)
        CHECK_EQ(b[i], seed + i);
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
