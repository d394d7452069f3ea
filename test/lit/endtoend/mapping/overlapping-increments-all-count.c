// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions without dependences that map the same variable tofrom and add to it atomically: every increment counts after
// taskwait, whether a region finds the variable present or a mapping that is about to end. A later region sees the data
// as if the earlier mapping had ended, never the dying device buffer.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REGIONS = 100, REPETITIONS = 30, THREADS = 4 };

static void one_thread(void)
{
    int x = 0;
    for (int r = 0; r < REGIONS; r++) {
#pragma omp target map(tofrom : x) nowait
#pragma omp atomic
        x++;
    }
#pragma omp taskwait
    CHECK_EQ(x, REGIONS);
}

static void held_present(void)
{
    int x = 0;
#pragma omp target data map(tofrom : x)
    {
        for (int r = 0; r < REGIONS; r++) {
#pragma omp target map(tofrom : x) nowait
#pragma omp atomic
            x++;
        }
#pragma omp taskwait
    }
    CHECK_EQ(x, REGIONS);
}

static void several_threads(void)
{
    int x = 0;
#pragma omp parallel num_threads(THREADS)
    for (int r = 0; r < REGIONS / THREADS; r++) {
#pragma omp target map(tofrom : x) nowait
#pragma omp atomic
        x++;
    }
    CHECK_EQ(x, REGIONS);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++) {
        one_thread();
        held_present();
        several_threads();
    }
    return 0;
}
