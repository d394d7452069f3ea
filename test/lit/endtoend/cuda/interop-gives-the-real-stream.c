// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interop object gives CUDA's own stream, context and device. What the program adds to the stream comes after the
// regions that the object was made to depend on, and destroying the object with nowait and depend hands its end on to a
// region. No call waits for the GPU.
//
// RUN: %cc-plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event CUDAEMU_KERNEL_NS=20000000 %t.plugin
#include "emulated.h"

enum { N = 100 };

int main(void)
{
    static unsigned char bytes[N];
    omp_interop_t object = omp_interop_none;
    watchdog(60);
    unsigned char *device = omp_target_alloc(N, 0);
#pragma omp target is_device_ptr(device)
    device[0] = 1;
    int order = 0;
#pragma omp target is_device_ptr(device) depend(out : order) nowait
    for (int i = 0; i < N; i++)
        device[i] = 1;
#pragma omp interop init(targetsync : object) depend(inout : order)
    void *stream = omp_get_interop_ptr(object, omp_ipr_targetsync, NULL);
    CHECK(stream != NULL);
    CHECK_EQ(omp_get_interop_int(object, omp_ipr_fr_id, NULL), omp_ifr_cuda);
    CHECK(omp_get_interop_ptr(object, omp_ipr_device_context, NULL) != NULL);
    count_calls();
    CHECK_EQ(((int (*)(uint64_t, unsigned char, size_t, void *))emulated("cuMemsetD8Async"))(
                 (uint64_t)(uintptr_t)device, 7, N / 2, stream),
             0);
#pragma omp interop destroy(object) nowait depend(inout : order)
#pragma omp target is_device_ptr(device) map(from : bytes) depend(in : order) nowait
    for (int i = 0; i < N; i++)
        bytes[i] = device[i];
    CHECK_EQ(own_blocking_calls(NULL), 0);
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(bytes[i], i < N / 2 ? 7 : 1);
    omp_target_free(device, 0);
    CHECK_EQ(misuses(), 0);
    return 0;
}
