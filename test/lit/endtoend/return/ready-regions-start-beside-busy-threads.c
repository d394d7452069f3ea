// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a team whose other threads are busy outside of OpenMP, a region starts inside its construct if nothing is left
// that it depends on: before any thread reaches libomp again. Host tasks that name other addresses don't change that,
// nor do regions in flight that read what this one reads.
//
// RUN: %cc-both
// RUN: %run-event
#include "check.h"

enum { REPETITIONS = 20 };

static int gate, readers, done;

static void producer(int *x, int *at_gate)
{
#pragma omp target is_device_ptr(x, at_gate) depend(out : x[0]) nowait
    {
        x[0] = 1;
        gate_open(at_gate);
    }
}

static void reader(int *x, int *y, int *count)
{
#pragma omp target is_device_ptr(x, y, count) depend(in : x[0]) nowait
    {
        y[0] = x[0];
        count_up(count);
        wait_for(count, 2);
    }
}

static void launch(void)
{
    int x = 0, y[2] = {0, 0}, other = 0;
    gate = readers = 0;
#pragma omp task depend(inout : other) shared(other)
    other++;
    producer(&x, &gate);
    gate_wait(&gate);
#pragma omp taskwait
    /* The second one starts although the first, which waits for it, is in flight. */
    reader(&x, &y[0], &readers);
    reader(&x, &y[1], &readers);
    wait_for(&readers, 2);
#pragma omp taskwait
    CHECK_EQ(y[0] + y[1], 2);
    CHECK_EQ(other, 1);
}

int main(void)
{
    watchdog(60);
    /* Without the plugin the runtime has to see each construct once to know it. */
    int x = 0, y = 0, two = 2;
    producer(&x, &gate);
#pragma omp taskwait
    reader(&x, &y, &two);
#pragma omp taskwait
    for (int r = 0; r < REPETITIONS; r++) {
        done = 0;
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0) {
            launch();
            gate_open(&done);
        } else {
            gate_wait(&done);
        }
    }
    return 0;
}
