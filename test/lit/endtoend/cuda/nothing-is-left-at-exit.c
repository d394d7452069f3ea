// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a program has ended, the driver has everything back: device and pinned memory, streams, events, modules; also
// after regions that still ran at the end of main, and with several devices.
//
// RUN: %cc-plugin
// RUN: %on-cuda CUDAEMU_REPORT=1 %t.plugin 2>&1 | %FileCheck %s
// RUN: %on-cuda CUDAEMU_REPORT=1 NOWAIT_CUDA_COMPLETION=event %t.plugin 2>&1 | %FileCheck %s
// RUN: %on-cuda CUDAEMU_REPORT=1 CUDAEMU_POOLS=0 CUDAEMU_WRITE_VALUE=0 %t.plugin 2>&1 | %FileCheck %s
// RUN: %on-cuda CUDAEMU_REPORT=1 NOWAIT_CUDA_POOL=0 CUDAEMU_DEVICES=3 CUDAEMU_KERNEL_NS=3000000 %t.plugin 2>&1 | %FileCheck %s
//
// CHECK: cudaemu: left device 0 bytes in 0
// CHECK-NEXT: cudaemu: left pinned 0 bytes in 0
// CHECK-NEXT: cudaemu: left managed 0 bytes in 0
// CHECK-NEXT: cudaemu: left streams 0 events 0 modules 0
// CHECK: cudaemu: misuses 0
#include "emulated.h"

int main(void)
{
    static int large[1 << 20], small[10];
    watchdog(60);
    for (int device = 0; device < omp_get_num_devices(); device++) {
#pragma omp target enter data map(to : large) device(device)
        for (int i = 0; i < 100; i++) {
#pragma omp target map(tofrom : small, large) device(device) nowait
            small[i % 10]++;
        }
#pragma omp taskwait
#pragma omp target exit data map(from : large) device(device)
    }
    for (int i = 0; i < 20; i++) {
#pragma omp target map(tofrom : small[i % 10 : 1]) map(to : large[i * 1000 : 1000]) nowait
        small[i % 10]++;
    }
    return 0;
}
