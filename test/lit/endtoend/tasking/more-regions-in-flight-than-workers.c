// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 2000 regions are launched while the first ones are held by a gate: the constructs return, however many regions wait
// for a worker, and all regions run once the gate is open.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: env NOWAIT_COMPLETION=event NOWAIT_STATS=1 %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_COMPLETION=event NOWAIT_HOST_WORKERS=2 %nowait-run %t.stock
// CHECK: nowait: regions 2008
// CHECK: nowait: max_in_flight 2008
#include "check.h"

enum { HELD = 8, REGIONS = 2000 };

int main(void)
{
    int gate_word = 0, *gate = &gate_word, count_word = 0, *count = &count_word, x = 0;
    watchdog(40);
    for (int i = 0; i < HELD; i++) {
#pragma omp target is_device_ptr(gate) nowait
        gate_wait(gate);
    }
    for (int i = 0; i < REGIONS; i++) {
#pragma omp target map(to : x) is_device_ptr(count) nowait
        count_up(count);
    }
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(count_word, REGIONS);
    return 0;
}
