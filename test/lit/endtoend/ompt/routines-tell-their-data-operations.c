// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool is told of what omp_target_alloc and the like do, outside any region, with the place of the call.
//
// RUN: %cc-both
// RUN: %tell-both
#include "check.h"
#include "timeline.h"

static __attribute__((noinline)) void copies(void *device)
{
    static int host[32];
    int home = omp_get_initial_device();
    CHECK_EQ(omp_target_memcpy(device, host, 96, 0, 16, 0, home), 0);
    CHECK_EQ(omp_target_memcpy(device, device, 32, 64, 0, 0, 0), 0);
    CHECK_EQ(omp_target_memcpy(host, device, 64, 0, 0, home, 0), 0);
    /* Within the host no device takes part. */
    CHECK_EQ(omp_target_memcpy(host, host, 16, 64, 0, home, home), 0);
}

int main(void)
{
    static int host[32];
    watchdog(60);
    void *device = omp_target_alloc(128, 0);
    CHECK(device != NULL);
    copies(device);
    CHECK_EQ(omp_target_associate_ptr(host, device, 64, 32, 0), 0);
    CHECK_EQ(omp_target_disassociate_ptr(host, 0), 0);
    omp_target_free(device, 0);
    return 0;
}

// CHECK: device 0 initialize {{host|cuda}}
// CHECK: alloc 128 bytes, 4 to 0 in main
// CHECK-NEXT: to-device 96 bytes, 4 to 0 in copies
// CHECK-NEXT: from-device 32 bytes, 0 to 0 in copies
// CHECK-NEXT: from-device 64 bytes, 0 to 4 in copies
// CHECK-NEXT: associate 64 bytes, 4 to 0 in main
// CHECK-NEXT: disassociate 64 bytes, 4 to 0 in main
// CHECK-NEXT: delete 128 bytes, 0 to -1 in main
// CHECK-NEXT: device 0 {{unload|finalize}}
// CHECK: timeline: ok
