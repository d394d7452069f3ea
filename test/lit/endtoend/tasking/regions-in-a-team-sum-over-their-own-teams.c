// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions with a reduction over teams, deferred and not, that the threads of a parallel region meet at the same time,
// or a thread of a parallel region in it, of one thread or of several: each sums up its own teams. (In libomp a
// reduction of a single team inside a parallel region meets the threads around it: seven of eight sums are lost, or it
// aborts.)
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env NOWAIT_HOST_WORKERS=1 %t.plugin
#include "check.h"

enum { REPETITIONS = 10, SUM = 5050 };

static void undeferred(void)
{
    long a = 0, b = 0, most = -1;
#pragma omp target teams distribute parallel for reduction(+ : a) map(tofrom : a)
    for (int i = 1; i <= 100; i++)
        a += i;
    CHECK_EQ(a, SUM);
#pragma omp target teams num_teams(1) reduction(+ : b) reduction(max : most) map(tofrom : b, most)
    for (int i = 1; i <= 100; i++) {
        b += i;
        most = i > most ? i : most;
    }
    CHECK_EQ(b, SUM);
    CHECK_EQ(most, 100);
#pragma omp target parallel for reduction(+ : a) map(tofrom : a)
    for (int i = 1; i <= 100; i++)
        a += i;
    CHECK_EQ(a, 2 * SUM);
}

static void deferred(void)
{
    long a = 0, b = 0;
#pragma omp target teams distribute parallel for reduction(+ : a) map(tofrom : a) nowait
    for (int i = 1; i <= 100; i++)
        a += i;
#pragma omp target teams distribute parallel for reduction(+ : b) map(tofrom : b) depend(inout : b) nowait
    for (int i = 1; i <= 100; i++)
        b += i;
#pragma omp target teams distribute parallel for reduction(+ : b) map(tofrom : b) depend(inout : b)
    for (int i = 1; i <= 100; i++)
        b += i;
    CHECK_EQ(b, 2 * SUM);
#pragma omp taskwait
    CHECK_EQ(a, SUM);
}

static void both(void)
{
    undeferred();
    deferred();
}

int main(void)
{
    watchdog(100);
    both();
    for (int rep = 0; rep < REPETITIONS; rep++) {
#pragma omp parallel num_threads(8)
        both();
#pragma omp parallel num_threads(4)
        {
#pragma omp task
            both();
#pragma omp parallel num_threads(1)
            both();
        }
#pragma omp parallel num_threads(1)
        both();
    }
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    both();
    return 0;
}
