// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After taskwait every region of the task is complete and its data is back: 1000 times, in serial code, from one thread
// of a team and from a task of a team.
//
// RUN: %cc-both
// RUN: %run-both
// Helper threads are slow, so few repetitions:
// RUN: env NOWAIT_COMPLETION=requeue %t.plugin 100
// RUN: env NOWAIT_COMPLETION=requeue %nowait-run %t.stock 100
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 1000, REGIONS = 4, N = 32 };

static void pass(int seed)
{
    int a[REGIONS][N];
    memset(a, 0, sizeof a);
    for (int r = 0; r < REGIONS; r++) {
        int *row = a[r];
#pragma omp target map(tofrom : row [0:N]) firstprivate(r, seed) nowait
        for (int i = 0; i < N; i++)
            row[i] += seed + r * i;
    }
#pragma omp taskwait
    for (int r = 0; r < REGIONS; r++)
        for (int i = 0; i < N; i++)
            CHECK_EQ(a[r][i], seed + r * i);
}

int main(int argc, char **argv)
{
    int repetitions = argc > 1 ? atoi(argv[1]) : REPETITIONS;
    watchdog(40);
    for (int i = 0; i < repetitions; i++)
        pass(i);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < repetitions / 2; i++)
        pass(i);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < repetitions / 2; i++) {
#pragma omp task firstprivate(i)
        pass(i);
    }
    return 0;
}
