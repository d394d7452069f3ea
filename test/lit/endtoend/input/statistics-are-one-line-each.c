// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NOWAIT_STATS=1 prints one line per figure at exit, in the documented order; unset it prints nothing.
//
// RUN: %cc-both
// RUN: env NOWAIT_STATS=1 NOWAIT_COMPLETION=event %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_STATS=1 NOWAIT_COMPLETION=requeue %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_STATS=1 NOWAIT_COMPLETION=block %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_STATS=1 %nowait-run %t.stock 2>&1 | %FileCheck %s
// RUN: sh -c 'test -z "$(%t.plugin 2>&1)"'
// CHECK: {{^}}nowait: regions 10{{$}}
// CHECK: {{^}}nowait: max_in_flight {{[1-9][0-9]*$}}
// CHECK: {{^}}nowait: dispatched_early {{[0-9]+$}}
// CHECK: {{^}}nowait: dispatched_by_libomp {{[0-9]+$}}
// CHECK: {{^}}nowait: requeues {{[0-9]+$}}
// CHECK: {{^}}nowait: queries {{[0-9]+$}}
// CHECK: {{^}}nowait: blocking_waits {{[0-9]+$}}
// CHECK: {{^}}nowait: map_conflicts {{[0-9]+$}}
// CHECK: {{^}}nowait: data_reused {{[0-9]+$}}
// CHECK: {{^}}nowait: dispatch_ns_median {{[0-9]+$}}
// CHECK: {{^}}nowait: dispatch_ns_max {{[0-9]+$}}
// CHECK: {{^}}nowait: dispatch_ns_total {{[0-9]+$}}
// CHECK: {{^}}nowait: device_bytes_live 0{{$}}
// CHECK: {{^}}nowait: device_bytes_peak {{[1-9][0-9]*$}}
#include "check.h"

int main(void)
{
    int x = 0;
    watchdog(30);
    for (int i = 0; i < 10; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x++;
    }
#pragma omp taskwait
    CHECK_EQ(x, 10);
    return 0;
}
