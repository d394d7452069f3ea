// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global objects of an image: their constructors run, in order, when a device loads it, before any region, and their
// destructors when it is unloaded at the end of the program; a host copy is constructed beside them.
//
// RUN: %cxx-both
// RUN: %run-both
// RUN: env NOWAIT_COMPLETION=event NOWAIT_HOST_DEVICES=1 %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_COMPLETION=event NOWAIT_HOST_DEVICES=1 %nowait-run %t.stock 2>&1 | %FileCheck %s
// CHECK-DAG: destroyed 70
// CHECK-DAG: destroyed 700
#include "check.h"

#pragma omp declare target
struct counter {
    int value;
    explicit counter(int v) : value(v) {}
    ~counter() { fprintf(stderr, "destroyed %d\n", value); }
};
counter first(7);
counter second(first.value + 1);
#pragma omp end declare target

int main()
{
    int a = 0, b = 0;
    watchdog(40);
#pragma omp target map(from : a, b) nowait
    {
        a = first.value;
        b = second.value;
        first.value = 700;
    }
#pragma omp taskwait
    CHECK_EQ(a, 7);
    CHECK_EQ(b, 8);
    CHECK_EQ(first.value, 7);
#pragma omp target update from(first) nowait
#pragma omp taskwait
    CHECK_EQ(first.value, 700);
    first.value = 70;
    return 0;
}
