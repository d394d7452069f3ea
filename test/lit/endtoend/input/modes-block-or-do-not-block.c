// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modes do what they say, by the runtime's own figures: event needs neither queries nor requeues nor waits, requeue
// uses queries when it can and waits where there is no team, block waits once per region and has one in flight.
//
// RUN: %cc-plugin
// RUN: env NOWAIT_STATS=1 NOWAIT_COMPLETION=event %t.plugin held 2>&1 | %FileCheck %s --check-prefix=EVENT
// RUN: env NOWAIT_STATS=1 NOWAIT_COMPLETION=requeue %t.plugin 2>&1 | %FileCheck %s --check-prefix=REQUEUE
// RUN: env NOWAIT_STATS=1 NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin 2>&1 \
// RUN:   | %FileCheck %s --check-prefix=ALONE
// RUN: env NOWAIT_STATS=1 NOWAIT_COMPLETION=block %t.plugin 2>&1 | %FileCheck %s --check-prefix=BLOCK
// EVENT: regions 6
// EVENT: max_in_flight 6
// EVENT: requeues 0
// EVENT: queries 0
// EVENT: blocking_waits 0
// REQUEUE: regions 6
// REQUEUE: queries {{[1-9]}}
// ALONE: regions 6
// ALONE: requeues 0
// ALONE: blocking_waits 6
// BLOCK: regions 6
// BLOCK: max_in_flight 1
// BLOCK: requeues 0
// BLOCK: queries 0
// BLOCK: blocking_waits 6
#include "check.h"

int main(int argc, char **argv)
{
    /* Held until all have been launched, where constructs return meanwhile. */
    int word = argc < 2, *gate = &word;
    (void)argv;
    watchdog(30);
    for (int i = 0; i < 6; i++) {
#pragma omp target is_device_ptr(gate) nowait
        {
            gate_wait(gate);
            busy_ms(30);
        }
    }
    gate_open(gate);
#pragma omp taskwait
    return 0;
}
