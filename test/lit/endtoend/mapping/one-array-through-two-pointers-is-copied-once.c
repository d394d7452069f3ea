// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A construct that names the same data twice, through two pointers, copies it once in each direction, as LLVM's runtime
// does: miniFE's dot product is called with the same vector twice. Members of one structure, which share a mapping, are
// each copied, and `always` copies for each entry.
//
// RUN: %nowait-clang %flags %s -o %t.plugin
// RUN: %stock-clang %flags %s -o %t.stock
// RUN: env LIBOMPTARGET_INFO=0x20 %t.plugin 2>&1 | %FileCheck %s
// RUN: env LIBOMPTARGET_INFO=0x20 %nowait-run %t.stock 2>&1 | %FileCheck %s
#include "check.h"

static int dot(int *x, int *y)
{
    int sum = 0;
#pragma omp target map(to : x[0 : 16], y[0 : 16]) map(from : sum)
    {
        sum = 0;
        for (int i = 0; i < 16; i++)
            sum += x[i] * y[i];
    }
    return sum;
}

struct pair {
    int a[4], between[4], b[8];
};

static int members(struct pair *p)
{
    int sum = 0;
#pragma omp target map(to : p->a, p->b) map(from : sum)
    {
        sum = 0;
        for (int i = 0; i < 4; i++)
            sum += p->a[i];
        for (int i = 0; i < 8; i++)
            sum += p->b[i];
    }
    return sum;
}

static int deferred(int *x, int *y)
{
    int sum = 0;
#pragma omp target map(to : x[0 : 16], y[0 : 16]) map(from : sum) nowait
    {
        sum = 0;
        for (int i = 0; i < 16; i++)
            sum += x[i] * y[i];
    }
#pragma omp taskwait
    return sum;
}

static void increment(int *x, int *y)
{
#pragma omp target map(tofrom : x[0 : 16]) map(tofrom : y[0 : 16])
    {
        x[0]++;
        y[1]++;
    }
}

static void increment_always(int *x, int *y)
{
#pragma omp target map(always, tofrom : x[0 : 16]) map(always, tofrom : y[0 : 16])
    {
        x[0]++;
        y[1]++;
    }
}

int main(void)
{
    int a[16], b[16];
    watchdog(40);
    for (int i = 0; i < 16; i++)
        a[i] = b[i] = i;
    // CHECK-COUNT-1: Copying data from host to device, {{.*}} Size=64
    // CHECK-NOT: Copying data from host to device
    // CHECK: one
    CHECK(dot(a, a) == 1240);
    fprintf(stderr, "one\n");
    // CHECK-COUNT-2: Copying data from host to device, {{.*}} Size=64
    // CHECK: two
    CHECK(dot(a, b) == 1240);
    fprintf(stderr, "two\n");
    // CHECK: Copying data from host to device, {{.*}} Size=16
    // CHECK: Copying data from host to device, {{.*}} Size=32
    // CHECK: three
    CHECK(members(&(struct pair){.a = {1, 2, 3, 4}, .b = {5, 6, 7, 8, 9, 10, 11, 12}}) == 78);
    fprintf(stderr, "three\n");
    // CHECK-COUNT-1: Copying data from host to device, {{.*}} Size=64
    // CHECK-NOT: Copying data from host to device
    // CHECK: four
    CHECK(deferred(a, a) == 1240);
    fprintf(stderr, "four\n");
    // CHECK-COUNT-1: Copying data from host to device, {{.*}} Size=64
    // CHECK-NOT: Copying data
    // CHECK-COUNT-1: Copying data from device to host, {{.*}} Size=64
    // CHECK-NOT: Copying data
    // CHECK: five
    increment(b, b);
    CHECK_EQ(b[0], 1);
    CHECK_EQ(b[1], 2);
    fprintf(stderr, "five\n");
    // CHECK-COUNT-2: Copying data from host to device, {{.*}} Size=64
    // CHECK-COUNT-2: Copying data from device to host, {{.*}} Size=64
    // CHECK: six
    increment_always(b, b);
    CHECK_EQ(b[0], 2);
    CHECK_EQ(b[1], 3);
    fprintf(stderr, "six\n");
    return 0;
}
