// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a map clause says beside its type holds for all that a declared mapper maps: always, present, delete, and
// use_device_ptr; nested and default mappers leave nothing behind, for one object and for arrays of them
// (llvm/llvm-project issue 60106).
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env NOWAIT_COMPLETION=event %t.plugin absent > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// CHECK-NOT: went on
// CHECK: present
// CHECK-NOT: went on
#include "check.h"

typedef struct {
    int n;
    int a[4];
} inner_t;
#pragma omp declare mapper(inner_t s) map(s.n, s.a [0:2])

typedef struct {
    int length;
    double *data;
    inner_t in;
} outer_t;
#pragma omp declare mapper(outer_t s) map(s.length, s.data [0:s.length]) map(s.in)

enum { N = 3, LENGTH = 5 };

static outer_t many[N];
static double data[N][LENGTH];
static int device;

static void reset(void)
{
    for (int i = 0; i < N; i++) {
        many[i].length = LENGTH;
        many[i].data = data[i];
        many[i].in.n = i;
        many[i].in.a[0] = 10 * i;
        for (int k = 0; k < LENGTH; k++)
            data[i][k] = 100 * i + k;
    }
}

static void check_gone(void)
{
    for (int i = 0; i < N; i++) {
        CHECK(!omp_target_is_present(&many[i], device));
        CHECK(!omp_target_is_present(&many[i].in, device));
        CHECK(!omp_target_is_present(data[i], device));
        CHECK_PTR_EQ(many[i].data, data[i]);
    }
}

static void one_object(void)
{
    outer_t *one = &many[1];
    reset();
#pragma omp target enter data map(to : one[0])
#pragma omp target enter data map(to : one[0])
#pragma omp target exit data map(release : one[0])
    CHECK(omp_target_is_present(one, device));
    CHECK(omp_target_is_present(data[1], device));
#pragma omp target map(tofrom : one[0])
    {
        one->data[2] += 0.5;
        one->in.a[0]++;
    }
    CHECK_EQ(one->in.a[0], 10);
#pragma omp target map(always, tofrom : one[0]) nowait
    one->in.n = 77;
#pragma omp taskwait
    CHECK_EQ(one->in.n, 77);
    CHECK_EQ(one->in.a[0], 10);
    CHECK(one->data[2] == 102);
#pragma omp target map(present, alloc : one[0])
    one->in.n++;
#pragma omp target update from(present : one[0])
    CHECK_EQ(one->in.n, 78);
#pragma omp target exit data map(from : one[0])
    check_gone();
}

static void deleted(void)
{
    outer_t *one = &many[2];
    reset();
    for (int i = 0; i < 3; i++) {
#pragma omp target enter data map(to : one[0]) nowait
#pragma omp taskwait
    }
#pragma omp target exit data map(delete : one[0])
    check_gone();
}

static void arrays(void)
{
    reset();
#pragma omp target enter data map(to : many)
#pragma omp target map(tofrom : many) nowait
    for (int i = 0; i < N; i++)
        for (int k = 0; k < many[i].length; k++)
            many[i].data[k] += 1000;
#pragma omp taskwait
    CHECK(data[1][2] == 102);
#pragma omp target exit data map(from : many)
    check_gone();
    for (int i = 0; i < N; i++)
        for (int k = 0; k < LENGTH; k++)
            CHECK(data[i][k] == 1000 + 100 * i + k);
#pragma omp target enter data map(to : many)
#pragma omp target enter data map(to : many)
#pragma omp target exit data map(delete : many)
    check_gone();
}

static void device_address(void)
{
    outer_t *one = &many[0];
    reset();
    void *mapped = NULL;
#pragma omp target data map(tofrom : one[0]) use_device_ptr(one)
    mapped = one;
    CHECK(mapped != (void *)&many[0]);
    check_gone();
}

int main(int argc, char **argv)
{
    (void)argv;
    watchdog(40);
    device = omp_get_default_device();
    if (argc > 1) {
        reset();
#pragma omp target enter data map(present, to : many[0])
        puts("went on");
        return 0;
    }
    for (int i = 0; i < 5; i++) {
        one_object();
        deleted();
        arrays();
        device_address();
    }
    return 0;
}
