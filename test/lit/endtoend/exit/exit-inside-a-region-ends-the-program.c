// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region on the CPU device that calls exit ends the program with its status, whatever else is in flight: one line
// says so, what has been printed is not lost, and nothing waits for the region that never ends.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: %t.plugin > %t.out 2>&1; test $? -eq 7 && %FileCheck %s < %t.out
// RUN: %nowait-run %t.stock > %t.out 2>&1; test $? -eq 7 && %FileCheck %s < %t.out
// CHECK-DAG: printed before
// CHECK-DAG: nowait: warning: exit was called inside a target region
#include "check.h"

int main(void)
{
    int never = 0, *gate = &never;
    watchdog(30);
    printf("printed before\n");
#pragma omp target is_device_ptr(gate) nowait
    gate_wait(gate);
#pragma omp target nowait
    exit(7);
#pragma omp taskwait
    return 0;
}
