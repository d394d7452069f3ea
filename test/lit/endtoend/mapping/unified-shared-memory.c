// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// requires unified_shared_memory: nothing is copied, device addresses are host addresses, data counts as present,
// declare target variables are the host's, and close maps a copy all the same.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

#pragma omp requires unified_shared_memory

static int enter_variable = 5, link_variable = 6;
#pragma omp declare target to(enter_variable) link(link_variable)

struct pair {
    int *p;
    int n;
};

int main(void)
{
    int x = 1, y[10] = {0}, *outside = NULL, *inside = NULL;
    struct pair s = {y, 10};
    int device = omp_get_default_device();
    watchdog(40);
#pragma omp target map(tofrom : x) map(from : inside) nowait
    {
        x++;
        inside = &x;
    }
#pragma omp taskwait
    outside = &x;
    CHECK_EQ(x, 2);
    CHECK_PTR_EQ(inside, outside);
    /* No map at all. */
    int *q = y;
#pragma omp target nowait
    q[3] = 33;
#pragma omp taskwait
    CHECK_EQ(y[3], 33);
#pragma omp target map(tofrom : s.p [0:10])
    s.p[4] = 44;
    CHECK_EQ(y[4], 44);
    CHECK_PTR_EQ(s.p, y);
#pragma omp target map(present, tofrom : y) nowait
    y[5] = 55;
#pragma omp taskwait
    CHECK_EQ(y[5], 55);
#pragma omp target update to(present : y) nowait
#pragma omp target exit data map(present, release : y) nowait
#pragma omp taskwait
    int *pointer = y;
#pragma omp target data map(tofrom : y) use_device_ptr(pointer)
    CHECK_PTR_EQ(pointer, y);
#pragma omp target nowait
    {
        enter_variable++;
        link_variable++;
    }
#pragma omp taskwait
    CHECK_EQ(enter_variable, 6);
    CHECK_EQ(link_variable, 7);
    /* A copy of its own. */
#pragma omp target enter data map(close, to : x)
    CHECK(omp_get_mapped_ptr(&x, device) != (void *)&x);
#pragma omp target map(tofrom : x)
    x = 100;
    CHECK_EQ(x, 2);
#pragma omp target exit data map(close, from : x)
    CHECK_EQ(x, 100);
    return 0;
}
