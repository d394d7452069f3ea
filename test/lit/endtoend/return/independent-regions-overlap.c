// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that do not depend on each other run at the same time: each of four waits until all four have started, so if
// one had to wait for another the watchdog would bark. Tried from consecutive constructs without depend, with depend on
// disjoint sections, with depend(in) on the same data, and from a loop. In serial code without
// helper threads stock runs them one after the other and hangs here.
//
// RUN: %cc-both
// RUN: %run-nonblocking
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %nowait-run %t.stock
#include "check.h"

enum { REGIONS = 4, PART = 16, N = REGIONS * PART };

static void meet(int *started)
{
    count_up(started);
    wait_for(started, REGIONS);
}
#pragma omp declare target to(meet)

int main(void)
{
    int word, *started = &word, a[N] = {0}, b[N] = {0};
    watchdog(40);

    word = 0;
#pragma omp target is_device_ptr(started) nowait
    meet(started);
#pragma omp target is_device_ptr(started) nowait
    meet(started);
#pragma omp target is_device_ptr(started) nowait
    meet(started);
#pragma omp target is_device_ptr(started) nowait
    meet(started);
#pragma omp taskwait
    CHECK_EQ(word, REGIONS);

    word = 0;
    for (int r = 0; r < REGIONS; r++) {
        int *part = &a[r * PART];
#pragma omp target map(tofrom : part [0:PART]) depend(out : part [0:PART]) is_device_ptr(started) nowait
        {
            meet(started);
            for (int i = 0; i < PART; i++)
                part[i] = i;
        }
    }
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(a[i], i % PART);

    word = 0;
#pragma omp target data map(to : a) map(from : b)
    {
        for (int r = 0; r < REGIONS; r++) {
#pragma omp target map(alloc : a, b) depend(in : a) is_device_ptr(started) firstprivate(r) nowait
            {
                meet(started);
                for (int i = r; i < N; i += REGIONS)
                    b[i] = a[i] + 1;
            }
        }
#pragma omp taskwait
    }
    for (int i = 0; i < N; i++)
        CHECK_EQ(b[i], i % PART + 1);
    return 0;
}
