// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hundred thousand regions in flight from one thread, on a GPU that finishes none of them for a while: no construct
// waits, the driver gets no more than its queue takes, and pinned memory stays within its limit.
//
// RUN: %cc-plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event CUDAEMU_KERNEL_NS=2000000 NOWAIT_CUDA_STAGING=16 %t.plugin
#include "emulated.h"

enum { REGIONS = 100000, PER_LINE = 16 };

int main(void)
{
    static int counters[REGIONS];
    watchdog(110);
#pragma omp target map(tofrom : counters[0 : 1])
    counters[0] = 0;
    count_calls();
    for (int i = 0; i < REGIONS; i++) {
#pragma omp target map(tofrom : counters[i : 1]) firstprivate(i) nowait
        counters[i] += i;
    }
    CHECK_EQ(own_blocking_calls(NULL), 0);
#pragma omp taskwait
    for (int i = 0; i < REGIONS; i++)
        CHECK_EQ(counters[i], i);
    emulated_memory_t memory = memory_in_use();
    CHECK_LE(memory.pinned_bytes, (16 + 8) << 20);
    CHECK_LE(memory.streams, 1024 + 4);
    CHECK_EQ(misuses(), 0);
    return 0;
}
