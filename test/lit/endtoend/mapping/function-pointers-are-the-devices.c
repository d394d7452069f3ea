// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointer to a declare target indirect function that is handed to a region is the device's own address of the
// function, as one that the region takes itself: it can be compared, and called, and what it counts is the device's.
// In constructs with and without nowait, also behind a dependence. LIBOMPTARGET_INFO tells of the copies by which the
// runtime learns the addresses, as LLVM's does.
//
// RUN: %nowait-clang -fopenmp-version=51 %flags %s -o %t.plugin
// RUN: %stock-clang -fopenmp-version=51 %flags %s -o %t.stock
// RUN: %run-both
// RUN: env LIBOMPTARGET_INFO=32 %t.plugin 2>&1 | %FileCheck %s
// CHECK: Copying data from device to host, {{.*}} Size=8, Name=unknown
// CHECK-NEXT: Copying data from device to host, {{.*}} Size=8, Name=unknown
// CHECK-NEXT: Copying data from device to host, {{.*}} Size=8, Name=
#include "check.h"

typedef int (*function_t)(int);

#pragma omp begin declare target
static int calls;
#pragma omp end declare target

int square(int x)
{
    calls++;
    return x * x;
}
#pragma omp declare target indirect to(square)

int negated(int x)
{
    return -x;
}
#pragma omp declare target indirect to(negated)

int main(void)
{
    function_t host = square, other = negated, own = 0, handed = 0;
    int result = 0, same = 0, counted = 0, token = 0;
    watchdog(40);
#pragma omp target map(from : own, handed)
    {
        own = square;
        handed = host;
    }
    CHECK_PTR_EQ((void *)handed, (void *)own);
    CHECK(own != square);
#pragma omp target map(from : result, same) depend(out : token) nowait
    {
        result = host(7) + other(9);
        same = host == square && other == negated && host != other;
    }
#pragma omp target map(from : counted) depend(in : token) nowait
    counted = calls;
#pragma omp taskwait
    CHECK_EQ(result, 40);
    CHECK_EQ(same, 1);
    CHECK_EQ(counted, 1);
    CHECK_EQ(calls, 0);
    return 0;
}
