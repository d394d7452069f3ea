// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without a driver, with one that does not start, finds no GPU, or can't count them, a program runs on the host, and
// only who asks for information hears why. A driver is loaded by the name that NOWAIT_CUDA_LIBRARY gives.
//
// RUN: %cc-plugin
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default NOWAIT_CUDA_LIBRARY=%t.none %t.plugin 2>&1 | %FileCheck %s --check-prefix=QUIET
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default NOWAIT_CUDA_LIBRARY=%t.none NOWAIT_LOG=info %t.plugin 2>&1 | %FileCheck %s --check-prefix=MISSING
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default CUDAEMU_FAIL=cuInit@1=999 %t.plugin 2>&1 | %FileCheck %s --check-prefix=QUIET
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default CUDAEMU_FAIL=cuInit@1=999 NOWAIT_LOG=info %t.plugin 2>&1 | %FileCheck %s --check-prefix=INIT
// RUN: %not env OMP_TARGET_OFFLOAD=mandatory %on-cuda CUDAEMU_FAIL=cuInit@1=999 %t.plugin 2>&1 | %FileCheck %s \
// RUN:     --check-prefix=MANDATORY
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default CUDAEMU_DEVICES=0 NOWAIT_LOG=info %t.plugin 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default CUDAEMU_FAIL=cuDeviceGetCount@1+=999 %t.plugin 2>&1 | %FileCheck %s --check-prefix=QUIET
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default CUDAEMU_FAIL=cuDeviceGetCount@1+=999 NOWAIT_LOG=info %t.plugin 2>&1 | %FileCheck %s --check-prefix=COUNT
// RUN: %not env OMP_TARGET_OFFLOAD=mandatory %on-cuda NOWAIT_CUDA_LIBRARY=%t.none %t.plugin 2>&1 | %FileCheck %s \
// RUN:     --check-prefix=MANDATORY
// QUIET-NOT: nowait:
// QUIET: 0 devices, result 42
// MISSING: nowait: info: no CUDA devices: {{.*}}.none: cannot open
// MISSING: 0 devices, result 42
// INIT: nowait: info: no CUDA devices: {{.*}} (cuInit)
// INIT: 0 devices, result 42
// NONE: nowait: info: no CUDA devices:
// NONE: 0 devices, result 42
// COUNT: nowait: info: no CUDA devices: {{.*}} (cuDeviceGetCount)
// COUNT: 0 devices, result 42
// MANDATORY: nowait: error:
// MANDATORY-NOT: result
#include "check.h"

int main(void)
{
    int result = 0;
    watchdog(60);
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("%d devices, ", omp_get_num_devices());
#pragma omp target map(tofrom : result) depend(out : result) nowait
    result += 40;
#pragma omp target map(tofrom : result) depend(inout : result) nowait
    result += 2;
#pragma omp taskwait
    printf("result %d\n", result);
    return 0;
}
