// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskwait depend(in: x) waits for the region that writes x and for no other: the second region is held by a gate which
// the host opens only afterwards.
//
// RUN: %cc-both
// RUN: %run-nonblocking
#include "check.h"

enum { REPETITIONS = 50 };

static void pass(int i)
{
    int x = 0, y = 0, gate_word = 0, *gate = &gate_word;
#pragma omp target map(tofrom : y) depend(inout : y) is_device_ptr(gate) nowait
    {
        gate_wait(gate);
        y = 1;
    }
#pragma omp target map(tofrom : x) depend(inout : x) firstprivate(i) nowait
    x = i;
#pragma omp taskwait depend(in : x)
    CHECK_EQ(x, i);
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(y, 1);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
    return 0;
}
