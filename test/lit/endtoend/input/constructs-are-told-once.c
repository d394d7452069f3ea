// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_INFO: each construct's lines print once, also where the task's entry runs a first time for its arguments
// only (firstprivate arrays of programs compiled without the plugin).
//
// RUN: %cc-both
// RUN: env LIBOMPTARGET_INFO=0x11 %t.plugin > %t.out 2>&1 && %FileCheck %s < %t.out
// RUN: env LIBOMPTARGET_INFO=0x11 %nowait-run %t.stock > %t.out 2>&1 && %FileCheck %s < %t.out
// CHECK-COUNT-5: Entering OpenMP kernel
// CHECK-NOT: Entering OpenMP kernel
#include "check.h"

int main(void)
{
    int token = 0, sum = 0;
    watchdog(20);
    for (int i = 0; i < 5; i++) {
        int values[8] = {i, i, i, i, i, i, i, i};
#pragma omp target firstprivate(values) map(tofrom : sum) depend(inout : token) nowait
        sum += values[3];
    }
#pragma omp taskwait
    CHECK_EQ(sum, 10);
    return 0;
}
