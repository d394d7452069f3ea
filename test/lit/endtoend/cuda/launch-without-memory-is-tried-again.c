// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver has no memory for a launch while others run, which may give some back: the region is tried again when what
// it has put into its stream is over, not before. Otherwise its copy to the device, held up there behind another
// region's kernel, would come when the region has long been done in another stream, and the memory is another's.
//
// RUN: %cc-plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event NOWAIT_CUDA_STREAMS=2 CUDAEMU_FAIL=cuLaunchKernel@3=2 \
// RUN:   CUDAEMU_KERNEL_NS='*_long_*=200000000,*_short_*=20000000,*_longest_*=400000000' %t.plugin
#include "emulated.h"

void *llvm_omp_target_alloc_host(size_t size, int device);
void llvm_omp_target_free_host(void *address, int device);

enum { N = 1 << 16 };

static int one, two;

static void launch_long(void)
{
#pragma omp target map(tofrom : one) nowait
    one++;
}

static void launch_short(void)
{
#pragma omp target map(tofrom : two) nowait
    two++;
}

/* Goes into the first stream, behind the long kernel. */
static void launch_without_memory(int *data)
{
#pragma omp target map(tofrom : data[0 : N]) depend(out : data[0]) nowait
    for (int i = 0; i < N; i++)
        data[i]++;
}

/* Gets the device memory of the one before. */
static void launch_longest(int *before, int *data)
{
#pragma omp target map(tofrom : data[0 : N]) depend(in : before[0]) nowait
    for (int i = 0; i < N; i++)
        data[i]++;
}

int main(void)
{
    watchdog(30);
    int *first = llvm_omp_target_alloc_host(N * sizeof(int), 0);
    int *second = llvm_omp_target_alloc_host(N * sizeof(int), 0);
    for (int i = 0; i < N; i++) {
        first[i] = i;
        second[i] = -i;
    }
    launch_long();
    launch_short();
    launch_without_memory(first);
    launch_longest(first, second);
#pragma omp taskwait
    CHECK_EQ(one, 1);
    CHECK_EQ(two, 1);
    for (int i = 0; i < N; i++) {
        CHECK_EQ(first[i], i + 1);
        CHECK_EQ(second[i], -i + 1);
    }
    CHECK_EQ(misuses(), 0);
    llvm_omp_target_free_host(first, 0);
    llvm_omp_target_free_host(second, 0);
    return 0;
}
