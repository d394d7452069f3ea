// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gdb starts a program of the CPU device, stops at a breakpoint in a kernel, shows its source and goes on: what the
// loader calls the device's image can be opened by another process.
//
// REQUIRES: device-host, gdb
// RUN: %nowait-clang -O0 -g %s -o %t
// RUN: timeout -k 5 100 %gdb -ex 'set breakpoint pending on' -ex 'break in_kernel' -ex run -ex backtrace \
// RUN:     -ex 'print number' -ex continue %t < /dev/null 2>&1 | %FileCheck %s
#include <stdio.h>

static int in_kernel(int number)
{
    return number * 2; // the kernel's line
}
#pragma omp declare target to(in_kernel)

int main(void)
{
    int x = 21;
#pragma omp target map(tofrom : x) nowait
    x = in_kernel(x);
#pragma omp taskwait
    printf("the answer is %d\n", x);
    return 0;
}

// CHECK: hit Breakpoint {{.*}}in_kernel (number=21)
// CHECK-NEXT: return number * 2; // the kernel's line
// CHECK: #0 {{.*}}in_kernel (number=21)
// CHECK-NEXT: #1 {{.*}}__omp_offloading_{{.*}}gdb-stops-in-a-kernel.c
// CHECK: = 21
// CHECK: the answer is 42
// CHECK: exited normally
