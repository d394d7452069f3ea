// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serial code: a host task that waits for a detached task of the program's is made while that is half over, and ends
// while a region is in flight. It is counted once: taskwait waits for the region, and the next one comes to its end.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"
#include <pthread.h>

static omp_event_handle_t event;

static void *fulfil(void *unused)
{
    omp_fulfill_event(event);
    return unused;
}

int main(void)
{
    int x = 0, y = 0, gate = 0;
    pthread_t thread;
    watchdog(40);
    omp_event_handle_t handle = (omp_event_handle_t)0;
#pragma omp task depend(out : x) detach(handle) shared(x)
    {
        event = handle;
        x = 1;
    }
    CHECK_EQ(pthread_create(&thread, NULL, fulfil, NULL), 0);
    pthread_join(thread, NULL);
#pragma omp task depend(in : x) shared(x, gate)
    {
        CHECK_EQ(x, 1);
        gate_open(&gate);
    }
#pragma omp target map(tofrom : y) nowait
    {
        sleep_us(200000);
        y = 1;
    }
#pragma omp taskwait
    CHECK_EQ(y, 1);
    CHECK_EQ(gate, 1);
#pragma omp target map(tofrom : y) nowait
    y = 2;
#pragma omp taskwait
    CHECK_EQ(y, 2);
    return 0;
}
