// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program may end with data still mapped, as one does that maps its fields once for good. The driver is asked for
// nothing that does not go then, such as to destroy the pool that the data lies in.
//
// RUN: %cc-plugin
// RUN: %on-cuda CUDAEMU_REPORT=1 %t.plugin 2>&1 | %FileCheck %s
// RUN: %on-cuda CUDAEMU_REPORT=1 NOWAIT_CUDA_POOL=0 %t.plugin 2>&1 | %FileCheck %s
//
// CHECK-NOT: misuse:
// CHECK: cudaemu: misuses 0
#include "emulated.h"

int main(void)
{
    static double fields[1 << 18];
    watchdog(60);
#pragma omp target enter data map(to : fields)
#pragma omp target map(tofrom : fields) nowait
    fields[0] = 1;
#pragma omp taskwait
    return 0;
}
