// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers complete the regions of all threads of the team: the explicit one, the one at the end of a worksharing loop
// and the one at the end of the parallel region.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 500, THREADS = 3, N = 6 };

static int a[THREADS], b[N], c[THREADS];

int main(void)
{
    watchdog(40);
    for (int rep = 0; rep < REPETITIONS; rep++) {
#pragma omp parallel num_threads(THREADS)
        {
            int me = omp_get_thread_num();
            int *mine = &a[me], *last = &c[me];
#pragma omp target map(from : mine [0:1]) firstprivate(me, rep) nowait
            mine[0] = rep + me;
#pragma omp barrier
            for (int t = 0; t < THREADS; t++)
                CHECK_EQ(a[t], rep + t);

#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < N; i++) {
                int *element = &b[i];
#pragma omp target map(from : element [0:1]) firstprivate(i, rep) nowait
                element[0] = rep - i;
            }
            for (int i = 0; i < N; i++)
                CHECK_EQ(b[i], rep - i);

#pragma omp target map(from : last [0:1]) firstprivate(me, rep) nowait
            last[0] = 2 * rep + me;
        }
        for (int t = 0; t < THREADS; t++)
            CHECK_EQ(c[t], 2 * rep + t);
    }
    return 0;
}
