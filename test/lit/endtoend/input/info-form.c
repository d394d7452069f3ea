// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LIBOMPTARGET_INFO prints of constructs, mappings, copies and tables, line by line as LLVM's runtime does, so
// that people and scripts read one as they read the other: the variables' names and places, the counts and what
// happened to them, the copy that sets a pointer on the device, a global variable's name.
//
// RUN: %nowait-clang -gline-tables-only -fopenmp-extensions %flags %s -o %t.plugin
// RUN: %stock-clang -gline-tables-only -fopenmp-extensions %flags %s -o %t.stock
// RUN: env NOWAIT_HOST_DEVICES=2 LIBOMPTARGET_INFO=0x2f %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_HOST_DEVICES=2 LIBOMPTARGET_INFO=0x2f %nowait-run %t.stock 2>&1 | %FileCheck %s
// RUN: env LIBOMPTARGET_INFO=0x20 %t.plugin 2>&1 | %FileCheck %s --check-prefix=COPIES
#include "check.h"

#pragma omp begin declare target
int *pointer;
#pragma omp end declare target

int main(void)
{
    int a[16] = {0}, b[16] = {0}, value[1] = {42};
    watchdog(40);
    // CHECK: {{^}}omptarget device 0 info: Entering {{.*}}being_mapper at info-form.c:[[@LINE+21]]:1 with 2 arguments:
    // CHECK-NEXT: {{^}}omptarget device 0 info: alloc(a)[64] {{$}}
    // CHECK-NEXT: {{^}}omptarget device 0 info: tofrom(b)[64] {{$}}
    // CHECK-NEXT: Creating new map entry with HstPtrBase=[[A:0x[0-9a-f]+]], HstPtrBegin=[[A]]
    // CHECK-SAME: , TgtAllocBegin={{0x[0-9a-f]+}}, TgtPtrBegin=[[DA:0x[0-9a-f]+]], Size=64
    // CHECK-SAME: , DynRefCount=1, HoldRefCount=0, Name=a{{$}}
    // CHECK-NEXT: Creating new map entry with HstPtrBase=[[B:0x[0-9a-f]+]], HstPtrBegin=[[B]]
    // CHECK-SAME: , TgtAllocBegin={{0x[0-9a-f]+}}, TgtPtrBegin=[[DB:0x[0-9a-f]+]], Size=64
    // CHECK-SAME: , DynRefCount=0, HoldRefCount=1, Name=b{{$}}
    // CHECK-NEXT: Copying data from host to device, HstPtr=[[B]], TgtPtr=[[DB]], Size=64, Name=b{{$}}
    // CHECK-NEXT: OpenMP Host-Device pointer mappings after block at info-form.c:[[@LINE+11]]:1:
    // CHECK-NEXT: Host Ptr           Target Ptr         Size (B) DynRefCount HoldRefCount Declaration
    // CHECK-DAG: {{0x[0-9a-f]+ 0x[0-9a-f]+}} 8        INF         0            pointer at unknown:0:0
    // CHECK-DAG: device 0 info: [[A]] [[DA]] 64       1           0            a at info-form.c:19:9
    // CHECK-DAG: device 0 info: [[B]] [[DB]] 64       0           1            b at info-form.c:19:22
    // CHECK: device 1 info: OpenMP Host-Device pointer mappings table empty
    // CHECK: Exiting OpenMP data region with end_mapper at info-form.c:[[@LINE+5]]:1 with 2 arguments:
    // CHECK-DAG: HstPtrBegin=[[B]], {{.*}} DynRefCount=0, HoldRefCount=0 (decremented, delayed deletion)
    // CHECK-DAG: HstPtrBegin=[[A]], {{.*}} DynRefCount=0 (decremented, delayed deletion), HoldRefCount=0
    // CHECK: Copying data from device to host, TgtPtr=[[DB]], HstPtr=[[B]], Size=64, Name=b{{$}}
    // CHECK: Removing map entry with HstPtrBegin=[[B]], TgtPtrBegin=[[DB]], Size=64, Name=b{{$}}
#pragma omp target data map(alloc : a) map(ompx_hold, tofrom : b)
    {
    }
    // COPIES: Copying data from device to host, {{.*}} Name=b
    // COPIES-NEXT: Copying data from host to device, {{.*}} Size=4, Name=pointer[0]
    // COPIES-NEXT: Copying data from host to device, {{.*}} Size=8, Name=pointer{{$}}
    // COPIES-NEXT: Copying data from device to host, {{.*}} Size=4, Name=pointer[0]
    // COPIES-NOT: info
    pointer = value;
#pragma omp target map(tofrom : pointer[0])
    pointer[0]++;
    CHECK_EQ(value[0], 43);
    // CHECK: Mapping exists with HstPtrBegin=[[A]], {{.*}}DynRefCount=2 (incremented), HoldRefCount=0, Name=a
    // CHECK: Mapping exists with HstPtrBegin=[[A]], {{.*}}Size=64, DynRefCount=1 (decremented), HoldRefCount=0{{$}}
    // CHECK: Updating data within {{.*}} with update_mapper at info-form.c:[[@LINE+6]]:1 with 1 arguments:
    // CHECK: HstPtrBegin=[[A]], {{.*}}DynRefCount=0 (reset, delayed deletion), HoldRefCount=0{{$}}
#pragma omp target enter data map(alloc : a)
#pragma omp target map(a) nowait
    a[0]++;
#pragma omp taskwait
#pragma omp target update to(b)
#pragma omp target exit data map(delete : a)
    return 0;
}
