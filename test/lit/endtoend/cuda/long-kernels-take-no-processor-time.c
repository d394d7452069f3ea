// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While long kernels run, one after the other, nobody looks for their ends all the time, although the runtime knows
// from the first one how long they take: the process needs a small part of their time. In each way in which the end of
// a GPU's work can be found, also with one stream.
//
// RUN: %cc-plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event CUDAEMU_KERNEL_NS='*_long_*=200000000' %t.plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event CUDAEMU_KERNEL_NS='*_long_*=200000000' NOWAIT_CUDA_COMPLETION=event %t.plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event CUDAEMU_KERNEL_NS='*_long_*=200000000' NOWAIT_CUDA_COMPLETION=poll %t.plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event CUDAEMU_KERNEL_NS='*_long_*=200000000' NOWAIT_CUDA_STREAMS=1 %t.plugin
#include "emulated.h"

#include <time.h>

enum { KERNELS = 6 };

static int count;

static void launch_long(void)
{
#pragma omp target map(tofrom : count) nowait depend(inout : count)
    count++;
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void)
{
    watchdog(60);
    launch_long();
#pragma omp taskwait
    double begin = processor_time();
    for (int i = 0; i < KERNELS; i++)
        launch_long();
#pragma omp taskwait
    /* Of 1.2 s. A thread that looked all the time would have taken most of that. */
    CHECK(processor_time() - begin < 0.4);
    CHECK_EQ(count, 1 + KERNELS);
    return 0;
}
