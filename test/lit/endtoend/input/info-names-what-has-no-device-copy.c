// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_INFO=64 names a variable of use_device_addr that is not mapped, although the data it points at is; it
// keeps its host address.
//
// RUN: %nowait-clang -gline-tables-only -fopenmp-version=51 %flags %s -o %t.plugin
// RUN: env LIBOMPTARGET_INFO=64 %t.plugin 2>&1 | %FileCheck %s
// CHECK: {{^}}omptarget device 0 info: variable pointer does not have a valid device counterpart{{$}}
// CHECK-NEXT: {{^}}same 1{{$}}
#include "check.h"

int main(void)
{
    int data[10], *pointer = data;
    int **host = &pointer;
    watchdog(20);
#pragma omp target data map(to : pointer[0 : 10])
#pragma omp target data use_device_addr(pointer)
    fprintf(stderr, "same %d\n", &pointer == host);
    return 0;
}
