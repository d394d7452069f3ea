// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without the plugin a construct's first encounter shows what it does. From there on the regions of a chain set each
// other off without their thread, also those of that first time: the thread goes on with host work that has no
// scheduling point, and finds the chain done.
//
// RUN: %cc-both
// RUN: %run-event
// REQUIRES: device-host
#include "check.h"

enum { LINKS = 50 };

static void first(int *x, int *done)
{
#pragma omp target map(tofrom : x[0 : 1]) is_device_ptr(done) depend(inout : x[0]) nowait
    __atomic_fetch_add(done, ++x[0] > 0, __ATOMIC_RELEASE);
}

static void second(int *x, int *done)
{
#pragma omp target map(tofrom : x[0 : 1]) is_device_ptr(done) depend(inout : x[0]) nowait
    __atomic_fetch_add(done, ++x[0] > 0, __ATOMIC_RELEASE);
}

static void without_depend(int *done)
{
#pragma omp target is_device_ptr(done) nowait
    __atomic_fetch_add(done, 1, __ATOMIC_RELEASE);
}

int main(void)
{
    int x = 0, done = 0, n = 0;
    watchdog(30);
    first(&x, &done);
    wait_for(&done, ++n);
#pragma omp taskwait
    second(&x, &done); /* nothing is in flight, and nothing is waited for after it */
    wait_for(&done, ++n);
    without_depend(&done);
    wait_for(&done, ++n);
    for (int i = 0; i < LINKS; i++) {
        first(&x, &done);
        second(&x, &done);
        n += 2;
    }
    wait_for(&done, n);
#pragma omp taskwait
    CHECK_EQ(x, 2 * LINKS + 2);
    return 0;
}
