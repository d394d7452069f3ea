// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel, an update that depends on it, and a taskwait: the result is there (the shape of CoreNEURON 725 and 729).
// Also update to/from with taskwait in a loop.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 100, N = 200 };

static void chain(int n, int seed)
{
    double y[N];
#pragma omp target enter data map(alloc : y [0:n])
#pragma omp target teams distribute parallel for map(alloc : y [0:n]) depend(out : y [0:n]) nowait
    for (int i = 0; i < n; i++)
        y[i] = seed + i;
#pragma omp target update from(y [0:n]) depend(in : y [0:n]) nowait
#pragma omp taskwait
    for (int i = 0; i < n; i++)
        CHECK_EQ(y[i], seed + i);
#pragma omp target exit data map(delete : y [0:n])
}

static void loop(int n)
{
    int *a = malloc(sizeof(int) * (size_t)n);
#pragma omp target enter data map(alloc : a [0:n])
    for (int rep = 0; rep < REPETITIONS; rep++) {
        for (int i = 0; i < n; i++)
            a[i] = rep + i;
#pragma omp target update to(a [0:n]) nowait
#pragma omp taskwait
        for (int i = 0; i < n; i++)
            a[i] = 0;
#pragma omp target update from(a [0:n]) nowait
#pragma omp taskwait
        for (int i = 0; i < n; i++)
            CHECK_EQ(a[i], rep + i);
    }
#pragma omp target exit data map(delete : a [0:n])
    free(a);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        chain(1 + i % N, i);
    loop(N);
#pragma omp parallel num_threads(2)
    {
        loop(N);
        for (int i = 0; i < REPETITIONS; i++)
            chain(1 + i % N, i);
    }
    return 0;
}
