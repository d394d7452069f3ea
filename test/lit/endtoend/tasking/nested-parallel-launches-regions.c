// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions launched from nested teams, each inner thread with its own, and a region that opens a team on the device
// while the host is in one.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { REPETITIONS = 20, OUTER = 2, INNER = 2, N = 16 };

int main(void)
{
    watchdog(40);
    omp_set_max_active_levels(3);
    for (int rep = 0; rep < REPETITIONS; rep++) {
        int total = 0;
#pragma omp parallel num_threads(OUTER) reduction(+ : total)
        {
            int outer = omp_get_thread_num(), mine = 0;
#pragma omp target map(tofrom : mine) depend(inout : mine) nowait
            mine = 100;
#pragma omp parallel num_threads(INNER) reduction(+ : total) firstprivate(outer)
            {
                int a[N] = {0}, inner = omp_get_thread_num();
#pragma omp target map(tofrom : a) firstprivate(outer, inner) nowait
#pragma omp parallel for num_threads(2)
                for (int i = 0; i < N; i++)
                    a[i] = 10 * outer + inner + i;
#pragma omp taskwait
                for (int i = 0; i < N; i++)
                    total += a[i] - i;
            }
#pragma omp target map(tofrom : mine) depend(inout : mine) nowait
            mine += 1;
#pragma omp taskwait
            total += mine;
        }
        CHECK_EQ(total, OUTER * 101 + N * (0 + 1 + 10 + 11));
    }
    return 0;
}
