// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A long chain of constructs that have nothing for the device to do, behind a region that does: each is over as soon as
// it starts, and starts the next, one after the other and not one inside the other.
//
// RUN: %cc-both
// RUN: %run-event
#include "check.h"

enum { LINKS = 100000 };

int main(void)
{
    int x = 1, gate = 0, *at_gate = &gate;
    watchdog(100);
#pragma omp target enter data map(to : x)
#pragma omp target is_device_ptr(at_gate) depend(inout : x) nowait
    gate_wait(at_gate);
    for (int i = 0; i < LINKS; i++) {
#pragma omp target enter data map(alloc : x) depend(inout : x) nowait
    }
    gate_open(at_gate);
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x++;
#pragma omp taskwait
#pragma omp target exit data map(delete : x)
    return 0;
}
