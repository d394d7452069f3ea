// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool is told of device memory routines, each as one data operation outside any region, with the bytes that are
// copied, not those between them: allocations, copies on the calling thread, and asynchronous ones on the thread that
// carries them out. What stays on the host is not told.
//
// RUN: %cc-both
// RUN: %tell-both
#include "check.h"
#include "timeline.h"

int main(void)
{
    char here[1024] = {1};
    int host = omp_get_initial_device();
    size_t volume[2] = {3, 5}, zero[2] = {0, 0}, dimensions[2] = {4, 16};
    watchdog(60);
    char *there = omp_target_alloc(512, 0), *other = omp_target_alloc(256, 1);
    omp_target_memcpy(there, here, 512, 0, 0, 0, host);
    omp_target_memcpy_async(other, there, 200, 0, 0, 1, 0, 0, NULL);
#pragma omp taskwait
    omp_target_memcpy_rect_async(here, there, 1, 2, volume, zero, zero, dimensions, dimensions, host, 0, 0, NULL);
#pragma omp taskwait
    omp_target_memcpy_rect(there, here, 2, 2, volume, zero, zero, dimensions, dimensions, 0, host);
    omp_target_memcpy_async(here + 512, here, 100, 0, 0, host, host, 0, NULL);
#pragma omp taskwait
    CHECK_EQ(here[512], 1);
    omp_target_free(there, 0);
    omp_target_free(other, 1);
    CHECK(timeline_attached);
    return 0;
}

// CHECK: alloc 512 bytes, 4 to 0
// CHECK: alloc 256 bytes, 4 to 1
// CHECK: to-device 512 bytes, 4 to 0
// CHECK-NEXT: from-device 200 bytes, 0 to 1
// CHECK-NEXT: from-device 15 bytes, 0 to 4
// CHECK-NEXT: to-device 30 bytes, 4 to 0
// CHECK-NEXT: delete 512 bytes, 0 to -1
// CHECK-NEXT: delete 256 bytes, 1 to -1
// CHECK: timeline: ok
