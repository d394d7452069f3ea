// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region that maps one variable which is present costs its thread three calls of the driver's: which context is
// current, the launch, and the mark of its end. Whoever watches for its end makes no call while regions come and go.
//
// RUN: %cc-plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event NOWAIT_SPIN=100ms %t.plugin
#include "emulated.h"

enum { REGIONS = 2000 };

int main(void)
{
    static int present[100];
    watchdog(60);
#pragma omp target enter data map(to : present)
    for (int i = 0; i < 100; i++) {
#pragma omp target map(tofrom : present) nowait
        present[0] = 0;
    }
#pragma omp taskwait
    count_calls();
    for (int i = 0; i < REGIONS; i++) {
#pragma omp target map(tofrom : present) nowait
        present[0] = i;
    }
    /* More only for streams that are made because many regions are in flight. */
    CHECK_LE(own_calls(NULL) - own_calls("cuStreamCreate"), 3 * REGIONS);
#pragma omp taskwait
    CHECK_EQ(calls("cuLaunchKernel"), REGIONS);
    /* And two each time it has a stream's end told, or asks whether a stream has failed: before and after it sleeps. */
    uint64_t sleeps = calls("cuLaunchHostFunc") + calls("cuStreamQuery");
    CHECK_LE(calls(NULL) - calls("cuStreamCreate") - 2 * sleeps, 3 * REGIONS + 20);
    CHECK_EQ(blocking_calls(NULL), 0);
#pragma omp target exit data map(from : present)
    return 0;
}
