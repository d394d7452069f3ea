// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each function of the driver's that the program uses answers with an error, at one of its first or a later call, one
// at a time: the program ends with status 1 and says why, or it recovers and its results are right; a driver that
// can't be used at all leaves the regions to the host. It never hangs and never computes something wrong.
//
// RUN: %cc-plugin
// RUN: sh %S/Inputs/fault-everywhere.sh %t.plugin "%on-cuda NOWAIT_COMPLETION=event" "1=2 2=719 20=2"
#include "emulated.h"

enum { SMALL = 100, LARGE = 1 << 18 };

static int small[SMALL], large[LARGE];

int main(void)
{
    int values[40], sum[40] = {0};
    watchdog(60);
    for (int round = 1; round <= 6; round++) {
        for (int i = 0; i < 40; i++)
            values[i] = i + round;
#pragma omp target map(tofrom : small) firstprivate(values) depend(inout : small) nowait
        for (int i = 0; i < SMALL; i++)
            small[i] += values[i % 40];
#pragma omp target map(tofrom : large) nowait
        for (int i = 0; i < LARGE; i++)
            large[i] += i;
        for (int i = 0; i < 40; i++)
            sum[i] += i + round;
    }
#pragma omp taskwait
    for (int i = 0; i < SMALL; i++)
        CHECK_EQ(small[i], sum[i % 40]);
    /* The regions on the large array are independent, and one after the other in effect: each sees the last. */
    for (int i = 0; i < LARGE; i++)
        CHECK(large[i] % (i ? i : 1) == 0);
    return 0;
}
