// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions with in_reduction that are launched by one thread share that thread's private copy of the variable, so they
// must not run at the same time: each reads the copy, sleeps, and writes it back, and the sum must still be exact.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REGIONS = 6, REPETITIONS = 20 };

static void pass(void)
{
    int sum = 1000;
#pragma omp taskgroup task_reduction(+ : sum)
    {
        for (int i = 1; i <= REGIONS; i++) {
#pragma omp target in_reduction(+ : sum) firstprivate(i) nowait
            {
                int seen = sum;
                sleep_us(300);
                sum = seen + i;
            }
        }
#pragma omp task in_reduction(+ : sum)
        sum += 100;
    }
    CHECK_EQ(sum, 1000 + REGIONS * (REGIONS + 1) / 2 + 100);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass();
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++)
        pass();
    for (int i = 0; i < REPETITIONS; i++) {
        int total = 0;
#pragma omp parallel num_threads(3) reduction(task, + : total)
        {
            for (int r = 1; r <= 2; r++) {
#pragma omp target in_reduction(+ : total) firstprivate(r) nowait
                {
                    int seen = total;
                    sleep_us(300);
                    total = seen + r;
                }
            }
        }
        CHECK_EQ(total, 3 * (1 + 2));
    }
    return 0;
}
