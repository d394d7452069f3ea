// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each region runs exactly once, whoever dispatches it: regions count themselves where the host can see it. The
// runtime's own figures agree.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env NOWAIT_STATS=1 %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_STATS=1 %nowait-run %t.stock 2>&1 | %FileCheck %s
// CHECK: nowait: regions 1200
// CHECK: nowait: max_in_flight {{[1-9][0-9]*$}}
// CHECK: nowait: dispatched_early [[#EARLY:]]
// CHECK: nowait: dispatched_by_libomp [[#1200-EARLY]]
// CHECK: nowait: dispatch_ns_total {{[1-9][0-9]*$}}
// CHECK: nowait: device_bytes_live 0
#include "check.h"

enum { THREADS = 3, REGIONS = 200 };

int main(void)
{
    static int runs[THREADS][REGIONS], dependent_runs[THREADS][REGIONS];
    watchdog(40);
#pragma omp parallel num_threads(THREADS)
    {
        int x = 0, me = omp_get_thread_num();
        for (int r = 0; r < REGIONS; r++) {
            int *count = &runs[me][r], *dependent_count = &dependent_runs[me][r];
#pragma omp target is_device_ptr(count) nowait
            count_up(count);
#pragma omp target is_device_ptr(dependent_count) map(tofrom : x) depend(inout : x) nowait
            {
                count_up(dependent_count);
                x++;
            }
        }
#pragma omp taskwait
        CHECK_EQ(x, REGIONS);
    }
    for (int t = 0; t < THREADS; t++)
        for (int r = 0; r < REGIONS; r++) {
            CHECK_EQ(runs[t][r], 1);
            CHECK_EQ(dependent_runs[t][r], 1);
        }
    return 0;
}
