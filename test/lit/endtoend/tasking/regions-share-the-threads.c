// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deferred region on a CPU device forms teams of its share of the threads that the program may use: all of them
// while it runs alone, one while as many other regions run. With the whole number for each, 256 regions with 256 small
// parallel loops each took ten times as long on two cores.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: env OMP_NUM_THREADS=4 %t.plugin
// RUN: env OMP_NUM_THREADS=4 %nowait-run %t.stock
#include "check.h"

enum { HELD = 4, TRIES = 200 };

/* The threads of a team in a region. */
static int team_size(void)
{
    int n = 0;
#pragma omp target map(from : n) nowait
    {
#pragma omp parallel
#pragma omp single
        n = omp_get_num_threads();
    }
#pragma omp taskwait
    return n;
}

/* As above, while others run. */
static int team_size_beside(int *gate)
{
    int n_word = 0, *n = &n_word;
#pragma omp target is_device_ptr(n) nowait
    {
        int size = 0;
#pragma omp parallel
#pragma omp single
        size = omp_get_num_threads();
        __atomic_store_n(n, size, __ATOMIC_RELEASE);
    }
    wait_for(n, 1);
    gate_open(gate);
#pragma omp taskwait
    return n_word;
}

int main(void)
{
    int gate_word = 0, *gate = &gate_word, started_word = 0, *started = &started_word;
    watchdog(40);
    for (int i = 0; i < HELD; i++) {
#pragma omp target is_device_ptr(gate, started) nowait
        {
            count_up(started);
            gate_wait(gate);
        }
    }
    wait_for(started, HELD);
    CHECK_EQ(team_size_beside(gate), 1);
    /* The other threads may need a moment before they sleep. */
    int tries = 0;
    while (team_size() != 4) {
        CHECK_LE(++tries, TRIES);
        sleep_us(10000);
    }
    return 0;
}
