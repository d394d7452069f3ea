// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region that fails on the GPU ends the program with status 1 and one line: where the region stands, its kernel, what
// kind of failure it is (an illegal address, a lost device, too little memory), the driver's words and its call.
// Nothing hangs, in any way of finding completions.
//
// RUN: %cc-plugin -g
// RUN: %not %on-cuda %t.plugin address 2>&1 | %FileCheck %s --check-prefix=ADDRESS
// RUN: %not %on-cuda NOWAIT_CUDA_COMPLETION=event %t.plugin address 2>&1 | %FileCheck %s --check-prefix=ADDRESS
// RUN: %not %on-cuda NOWAIT_CUDA_COMPLETION=poll %t.plugin address 2>&1 | %FileCheck %s --check-prefix=ADDRESS
// RUN: %not %on-cuda NOWAIT_COMPLETION=block %t.plugin address 2>&1 | %FileCheck %s --check-prefix=ADDRESS
// RUN: %not %on-cuda %t.plugin lost 2>&1 | %FileCheck %s --check-prefix=LOST
// RUN: %not %on-cuda %t.plugin launch 2>&1 | %FileCheck %s --check-prefix=LAUNCH
// RUN: %not %on-cuda CUDAEMU_MEMORY=100000000 %t.plugin memory 2>&1 | %FileCheck %s --check-prefix=MEMORY
//
// ADDRESS: nowait: error: {{.*}}device-faults-are-told-apart.c:[[#]]:[[#]]: region __omp_offloading_{{.*}}main{{.*}} on device 0 failed: illegal address on the device: an illegal memory access was encountered
// ADDRESS-NOT: nowait:
// LOST: nowait: error: {{.*}} on device 0 failed: device lost: {{.+}}
// LOST-NOT: nowait:
// LAUNCH: nowait: error: {{.*}} on device 0 failed: device operation failed: {{.*}} (cuLaunchKernel)
// LAUNCH-NOT: nowait:
// MEMORY: nowait: error: {{.*}}device-faults-are-told-apart.c:[[#]]:[[#]]: device 0: map of {{.*}}: out of device memory
// MEMORY-NOT: nowait:
#include "emulated.h"

int main(int argc, char **argv)
{
    int x = 0;
    static char huge[200000000];
    CHECK_EQ(argc, 2);
    watchdog(60);
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    if (strcmp(argv[1], "address") == 0)
        ((void (*)(const char *, uint64_t, int))emulated("cudaemu_fail_kernel"))(NULL, 1, 700);
    else if (strcmp(argv[1], "lost") == 0)
        ((void (*)(const char *, uint64_t, int))emulated("cudaemu_fail_kernel"))(NULL, 1, 46);
    else if (strcmp(argv[1], "launch") == 0)
        ((void (*)(const char *, uint64_t, int, int))emulated("cudaemu_fail"))("cuLaunchKernel", 1, 1, 719);
    else {
#pragma omp target map(tofrom : huge) nowait
        huge[0] = 1;
#pragma omp taskwait
    }
    for (int i = 0; i < 10; i++) {
#pragma omp target map(tofrom : x) nowait
        x++;
    }
#pragma omp taskwait
    return 0;
}
