// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the event mode the helper threads of libomp are not needed, so they must not be created: eight of them, which
// spin. With two workers for the device the process grows by fewer threads than that. Stock clang: 8 more threads after
// the first region.
//
// RUN: %cc-both
// RUN: env NOWAIT_COMPLETION=event NOWAIT_HOST_WORKERS=2 %t.plugin
// RUN: env NOWAIT_COMPLETION=event NOWAIT_HOST_WORKERS=2 %nowait-run %t.stock
#include "check.h"

enum { REGIONS = 100, HELPERS = 8 };

int main(void)
{
    int x = 0, y = 0, sum = 0;
    watchdog(40);
    int before = thread_count();
    for (int i = 0; i < REGIONS; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x++;
#pragma omp target enter data map(to : y) depend(inout : y) nowait
#pragma omp target update to(y) depend(inout : y) nowait
#pragma omp target exit data map(from : y) depend(inout : y) nowait
    }
#pragma omp taskwait
    CHECK_EQ(x, REGIONS);
    CHECK_LE(thread_count(), before + HELPERS - 1);

#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int z = 0;
#pragma omp target map(tofrom : z) nowait
        z++;
#pragma omp taskwait
        sum += z;
    }
    CHECK_EQ(sum, 2);
    CHECK_LE(thread_count(), before + 1 + HELPERS - 1);
    return 0;
}
