// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that waits for regions uses no processor time while the device works: a target construct with depend but
// without nowait, taskwait depend, and (in a team of one) taskwait for a region, the first of its construct, and for a
// chain of dependent regions. The regions sleep, so the processor time of the waiting thread is what waiting costs.
// Stock libomp polls: all of it.
//
// RUN: %cc-both
// RUN: %run-event
#include "check.h"

/* How long the regions of the shapes sleep. What is not compiled with the plugin shows in its first run what it does,
 * and may poll for that long. */
static int region_ms;

#define SLEEPING_REGION(x)                                                                                             \
    _Pragma("omp target map(tofrom : x) firstprivate(ms) depend(inout : x) nowait")                                    \
    {                                                                                                                  \
        sleep_us(ms * 1000L);                                                                                          \
        x++;                                                                                                           \
    }

static void undeferred_construct(void)
{
    int x = 0, ms = region_ms;
    SLEEPING_REGION(x)
    double before = used_ms();
#pragma omp target map(tofrom : x) depend(inout : x)
    x *= 10;
    if (region_ms)
        CHECK_LE(used_ms() - before, region_ms / 5);
    CHECK_EQ(x, 10);
}

static void taskwait_depend(void)
{
    int x = 0, ms = region_ms;
    SLEEPING_REGION(x)
    double before = used_ms();
#pragma omp taskwait depend(in : x)
    if (region_ms)
        CHECK_LE(used_ms() - before, region_ms / 5);
    CHECK_EQ(x, 1);
}

static void taskwait_for_chain(void)
{
    int x = 0, ms = region_ms;
    SLEEPING_REGION(x)
    SLEEPING_REGION(x)
    double before = used_ms();
#pragma omp taskwait
    if (region_ms)
        CHECK_LE(used_ms() - before, region_ms / 5);
    CHECK_EQ(x, 2);
}

static void taskwait_for_first_region(void)
{
    int x = 0, ms = 500;
#pragma omp target map(tofrom : x) firstprivate(ms) nowait
    {
        sleep_us(ms * 1000L);
        x++;
    }
    double before = used_ms();
#pragma omp taskwait
    CHECK_LE(used_ms() - before, ms / 5);
    CHECK_EQ(x, 1);
}

int main(void)
{
    watchdog(60);
    taskwait_for_first_region();
    for (region_ms = 0; region_ms <= 500; region_ms += 500) {
        undeferred_construct();
        taskwait_depend();
        taskwait_for_chain();
    }
    region_ms = 500;
    /* Each of several threads, for a region of its own; by now it is known what the construct does. */
#pragma omp parallel num_threads(2)
    taskwait_for_first_region();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        undeferred_construct();
        taskwait_depend();
    }
    return 0;
}
