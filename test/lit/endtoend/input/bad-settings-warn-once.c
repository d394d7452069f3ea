// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bad value or an unknown name gets one warning with the nearest accepted one, and the program runs with the default.
//
// RUN: %cc-plugin
// RUN: env NOWAIT_COMPLETION=evnt %t.plugin 2>&1 | %FileCheck %s --check-prefix=VALUE
// RUN: env NOWAIT_COMPLETON=block %t.plugin 2>&1 | %FileCheck %s --check-prefix=NAME
// RUN: env NOWAIT_HOST_WORKERS=many %t.plugin 2>&1 | %FileCheck %s --check-prefix=NUMBER
// RUN: env NOWAIT_HOST_DEVICES=-3 %t.plugin 2>&1 | %FileCheck %s --check-prefix=RANGE
// RUN: env NOWAIT_COMPLETION= NOWAIT_STATS=2x %t.plugin 2>&1 | %FileCheck %s --check-prefix=STATS
// RUN: env NOWAIT_COMPLETION=requeue NOWAIT_HOST_WORKERS=3 %t.plugin 2>&1 | %FileCheck %s --check-prefix=GOOD
// VALUE-COUNT-1: {{NOWAIT_COMPLETION.*event}}
// VALUE-NOT: NOWAIT_
// VALUE: answer 42
// NAME-COUNT-1: {{NOWAIT_COMPLETON.*NOWAIT_COMPLETION}}
// NAME-NOT: NOWAIT_
// NAME: answer 42
// NUMBER-COUNT-1: NOWAIT_HOST_WORKERS
// NUMBER-NOT: NOWAIT_
// NUMBER: answer 42
// RANGE-COUNT-1: NOWAIT_HOST_DEVICES
// RANGE-NOT: NOWAIT_
// RANGE: answer 42
// STATS: NOWAIT_STATS
// STATS: answer 42
// GOOD-NOT: NOWAIT_
// GOOD: answer 42
#include "check.h"

int main(void)
{
    int x = 40;
    watchdog(30);
    for (int i = 0; i < 2; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x++;
    }
#pragma omp taskwait
    printf("answer %d\n", x);
    return 0;
}
