// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team of far more threads than there are processors, where each waits for small regions of its own, which depend on
// each other: who waits sleeps, so whoever has something to do gets a processor. (libomp's waits look for tasks without
// a pause, also with a passive wait policy: of 64 threads on two processors each had its turn once in 0.1 s, and every
// step of a region needs one.) And a thread that waits for such regions uses little of a processor.
//
// RUN: %cc-both
// RUN: %run-event
// RUN: env OMP_WAIT_POLICY=passive %t.plugin
#include "check.h"

enum { THREADS = 64, REPETITIONS = 12 };

static void taskwait_for_chain(int r)
{
    int x = r;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x++;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x++;
#pragma omp taskwait
    CHECK_EQ(x, r + 2);
}

static void taskgroup_around_chain(int r)
{
    int x = r;
#pragma omp taskgroup
    {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x++;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x++;
    }
    CHECK_EQ(x, r + 2);
}

static void undeferred_behind_deferred(int r)
{
    int x = r;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x++;
#pragma omp target map(tofrom : x) depend(inout : x)
    x++;
    CHECK_EQ(x, r + 2);
}

static void host_task_between(int r)
{
    int x = r;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x++;
#pragma omp task shared(x) depend(inout : x)
    x++;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x++;
#pragma omp taskwait
    CHECK_EQ(x, r + 3);
}

/* A taskgroup waits for what is in it, not for the region before it, which waits for what comes behind it. */
static void taskgroup_behind_region(void)
{
    int gate = 0, x = 0, *gate_p = &gate;
#pragma omp target is_device_ptr(gate_p) nowait
    gate_wait(gate_p);
    taskgroup_around_chain(1);
#pragma omp taskgroup
    {
#pragma omp taskgroup
        {
#pragma omp target map(tofrom : x) nowait
            x++;
        }
        CHECK_EQ(x, 1);
    }
    gate_open(&gate);
#pragma omp taskwait
}

static void long_chain(void)
{
    int x = 0;
    double before = used_ms();
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    sleep_us(300000);
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    sleep_us(300000);
#pragma omp taskwait
    CHECK_LE(used_ms() - before, 300);
}

int main(void)
{
    watchdog(100);
#pragma omp parallel num_threads(THREADS)
    for (int r = 0; r < REPETITIONS; r++) {
        taskwait_for_chain(r);
        taskgroup_around_chain(r);
        undeferred_behind_deferred(r);
        host_task_between(r);
    }
#pragma omp parallel num_threads(3)
    taskgroup_behind_region();
#pragma omp parallel num_threads(2)
    long_chain();
    return 0;
}
