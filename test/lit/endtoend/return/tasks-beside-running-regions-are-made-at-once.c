// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In serial code, a task that joins regions which device threads complete by themselves is made at once, although it
// must not run on a device's thread: the first host task with depend, and (without the plugin) the first encounter of
// another construct. The host opens the gate that holds the regions only after it has made the task. Each shape is the
// first thing that its process does. Afterwards the device threads get their regions back, where one task has made them
// all: who waits for those sleeps.
//
// RUN: %cc-both
// RUN: %run-event
#include "check.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>

enum { SLEEP_MS = 500 };

static pthread_t program;

static void gated_region(int *x, int *gate)
{
#pragma omp target map(tofrom : x[0 : 1]) depend(inout : x[0]) is_device_ptr(gate) nowait
    {
        gate_wait(gate);
        x[0]++;
    }
}

/* What the construct does is known from here on. */
static void warm_up(void)
{
    int x = 0, gate = 1;
    for (int i = 0; i < 3; i++) {
        gated_region(&x, &gate);
#pragma omp taskwait
    }
    CHECK_EQ(x, 3);
}

static void host_task_behind(int *x)
{
#pragma omp task depend(inout : x[0]) firstprivate(x)
    {
        CHECK(pthread_equal(pthread_self(), program));
        x[0] *= 10;
    }
}

static void other_region_behind(int *x)
{
#pragma omp target map(tofrom : x[0 : 1]) depend(inout : x[0]) nowait
    x[0] *= 10;
}

/* Without the plugin the first encounter of a construct with depend may poll. */
static void sleepers_sleep(bool known)
{
    int x = 0;
    double before = used_ms();
    for (int i = 0; i < 2; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        {
            sleep_us(SLEEP_MS * 500L);
            x++;
        }
    }
#pragma omp taskwait
    CHECK_EQ(x, 2);
    if (known)
        CHECK_LE(used_ms() - before, SLEEP_MS / 5);
}

/* Two regions before the task, two behind it; one that nothing depends on. */
static void chain(void (*join)(int *))
{
    int x = 0, alone = 0, gate = 0;
    gated_region(&x, &gate);
    gated_region(&alone, &gate);
    gated_region(&x, &gate);
    join(&x);
    gated_region(&x, &gate);
    gated_region(&x, &gate);
    gate_open(&gate);
#pragma omp taskwait
    CHECK_EQ(x, 22);
    CHECK_EQ(alone, 1);
}

static void first_host_task(void)
{
    for (int i = 0; i < 20; i++)
        chain(host_task_behind);
}

static void first_encounter(void)
{
    for (int i = 0; i < 20; i++)
        chain(other_region_behind);
    sleepers_sleep(false);
    sleepers_sleep(true);
}

/* The regions of the surrounding task are in flight as well. */
static void first_host_task_in_a_task(void)
{
    int outer = 0, gate = 0;
    gated_region(&outer, &gate);
    gated_region(&outer, &gate);
#pragma omp task if (0) shared(gate)
    {
        chain(host_task_behind);
        chain(other_region_behind);
    }
    gated_region(&outer, &gate);
    gate_open(&gate);
#pragma omp taskwait
    CHECK_EQ(outer, 3);
    chain(host_task_behind);
}

static void first_encounter_in_a_task(void)
{
    int outer = 0, gate = 0;
    gated_region(&outer, &gate);
    gated_region(&outer, &gate);
#pragma omp task if (0) shared(gate)
    chain(other_region_behind);
    gated_region(&outer, &gate);
    gate_open(&gate);
#pragma omp taskwait
    CHECK_EQ(outer, 3);
    chain(other_region_behind);
}

static void in_a_process(void (*shape)(void))
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        watchdog(30);
        program = pthread_self();
        warm_up();
        shape();
        exit(0);
    }
    int status;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
}

int main(void)
{
    in_a_process(first_host_task);
    in_a_process(first_encounter);
    in_a_process(first_host_task_in_a_task);
    in_a_process(first_encounter_in_a_task);
    return 0;
}
