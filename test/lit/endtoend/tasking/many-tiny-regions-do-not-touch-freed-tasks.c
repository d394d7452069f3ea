// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thousands of empty regions that complete while their construct is still returning: fulfilling a task's event may free
// the task and the operation inside it at once, so nothing may touch them afterwards. Mostly for AddressSanitizer and
// ThreadSanitizer builds of the runtime; here it must not crash or hang.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env NOWAIT_HOST_WORKERS=1 %t.plugin
// RUN: env NOWAIT_HOST_WORKERS=32 %t.plugin
#include "check.h"

enum { BURSTS = 16, BURST = 250 };

static void burst(void)
{
    int word = 0, *count = &word;
    for (int i = 0; i < BURST; i++) {
#pragma omp target is_device_ptr(count) nowait
        count_up(count);
#pragma omp target depend(inout : word) nowait
        ;
    }
#pragma omp taskwait
    CHECK_EQ(word, BURST);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < BURSTS; i++)
        burst();
#pragma omp parallel num_threads(4)
    for (int i = 0; i < BURSTS / 4; i++)
        burst();
    return 0;
}
