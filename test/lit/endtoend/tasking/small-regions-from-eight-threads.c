// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight threads, each sixteen regions on one int and a taskwait, again and again (the form of QMCPACK pull request
// 4883). Stock takes 0.17 s per repetition with its helper threads, so this is also a program of the benchmark.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 60, THREADS = 8, REGIONS = 16 };

int main(void)
{
    int bad = 0;
    watchdog(120);
    for (int rep = 0; rep < REPETITIONS; rep++) {
#pragma omp parallel num_threads(THREADS) reduction(+ : bad)
        {
            int x[REGIONS];
            for (int r = 0; r < REGIONS; r++) {
                int *one = &x[r];
                x[r] = r;
#pragma omp target map(tofrom : one [0:1]) nowait
                one[0] += 1;
            }
#pragma omp taskwait
            for (int r = 0; r < REGIONS; r++)
                bad += x[r] != r + 1;
        }
    }
    CHECK_EQ(bad, 0);
    return 0;
}
