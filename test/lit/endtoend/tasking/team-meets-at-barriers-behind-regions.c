// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a team launch regions, each its own, and meet at a barrier, again and again: the barrier waits for all
// of them, and libomp's count of threads that are not through stays right. (What libomp has to run behind a region's
// end must not be left over when the team goes on.)
//
// RUN: %cc-both
// RUN: %run-event
#include "check.h"

/* As many as there is time for: a slow device makes no difference to what is tested. */
enum { TEAMS = 1500, LONGEST_MS = 10000, THREADS = 4, ROUNDS = 20 };

static void team(int x[THREADS])
{
#pragma omp parallel num_threads(THREADS)
    {
        int me = omp_get_thread_num();
        for (int r = 0; r < ROUNDS; r++) {
#pragma omp target map(tofrom : x[me : 1]) nowait
            x[me]++;
#pragma omp barrier
            CHECK_EQ(x[me], r + 1);
        }
    }
}

int main(void)
{
    watchdog(100);
    double begin = now_ms();
    for (int i = 0; i < TEAMS && now_ms() - begin < LONGEST_MS; i++) {
        int x[THREADS] = {0};
        team(x);
    }
    return 0;
}
