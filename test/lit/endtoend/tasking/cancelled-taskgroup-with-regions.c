// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A taskgroup that holds regions is cancelled: regions that have not started may be dropped, one that runs completes,
// nothing is used after it was freed, nothing hangs, and what was mapped is unmapped again.
//
// RUN: %cc-both
// RUN: env OMP_CANCELLATION=true %t.plugin
// RUN: env OMP_CANCELLATION=true NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env OMP_CANCELLATION=true %nowait-run %t.stock
#include "check.h"

enum { REPETITIONS = 60, REGIONS = 8 };

static void pass(void)
{
    int x = 0, independent[REGIONS] = {0}, word = 0, *started = &word;
#pragma omp taskgroup
    {
#pragma omp target map(tofrom : x) is_device_ptr(started) depend(inout : x) nowait
        {
            count_up(started);
            sleep_us(200);
            x++;
        }
        while (!peek(started)) {
#pragma omp taskyield
        }
        for (int r = 0; r < REGIONS; r++) {
            int *mine = &independent[r];
#pragma omp target map(tofrom : mine [0:1]) nowait
            mine[0]++;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
            x++;
        }
#pragma omp task
        {
#pragma omp cancel taskgroup
        }
    }
    CHECK(x >= 1 && x <= REGIONS + 1);
    for (int r = 0; r < REGIONS; r++)
        CHECK(independent[r] == 0 || independent[r] == 1);
    CHECK(!omp_target_is_present(&x, omp_get_default_device()));
}

int main(void)
{
    watchdog(30);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++)
        pass();
#pragma omp parallel num_threads(2)
    for (int i = 0; i < REPETITIONS / 2; i++)
        pass();
    return 0;
}
