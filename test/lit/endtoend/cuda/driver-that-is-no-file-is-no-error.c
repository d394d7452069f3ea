// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NOWAIT_CUDA_LIBRARY naming a pipe, at which the loader would wait for ever, a device or a folder: no GPU, and with
// NOWAIT_LOG=info a line that says why.
//
// RUN: rm -rf %t.d && mkdir %t.d && mkfifo %t.d/pipe && %cc-plugin
// RUN: env NOWAIT_CUDA_LIBRARY=%t.d/pipe NOWAIT_LOG=info %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_CUDA_LIBRARY=%t.d NOWAIT_LOG=info %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_CUDA_LIBRARY=/dev/zero NOWAIT_LOG=info %t.plugin 2>&1 | %FileCheck %s
// CHECK: nowait: info: no CUDA devices: {{.*}} is not a regular file
// CHECK: answer 42
#include "check.h"

int main(void)
{
    int x = 41;
    watchdog(60);
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    printf("answer %d\n", x);
    return 0;
}
