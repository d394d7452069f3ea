// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// requires unified_shared_memory: nothing is copied, device addresses are host addresses, data counts as present,
// declare target variables are the host's. A close map has a copy, unless its data is mapped plainly already, or is a
// part of what is: then that is what it finds.
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
    /* Inside a plain map close finds that, whichever way it was made; the pointer that is the host's leads there. */
#pragma omp target data map(tofrom : y)
    {
#pragma omp target map(close, tofrom : y[2:3]) nowait
        y[2] = 200;
#pragma omp target map(close, alloc : y) nowait
        y[7] = 700;
#pragma omp taskwait
    }
    CHECK_EQ(y[2] + y[7], 900);
#pragma omp target enter data map(to : y)
#pragma omp target enter data map(close, to : y[4:2])
#pragma omp target map(close, tofrom : y)
    y[4] = 400;
#pragma omp target exit data map(from : y)
#pragma omp target map(tofrom : y[4:2])
    y[5] = 500;
#pragma omp target exit data map(from : y[4:2])
    CHECK_EQ(y[4] + y[5], 900);
    CHECK(!omp_target_is_present(y, device));
#pragma omp target map(close, tofrom : s.p [0:10]) nowait
    s.p[6] = 66;
#pragma omp taskwait
    CHECK_EQ(y[6], 66);
    /* And inside a close map a plain one finds the copy. */
#pragma omp target data map(close, tofrom : y)
    {
#pragma omp target map(tofrom : y[2:3]) nowait
        y[2] = 20;
#pragma omp taskwait
        CHECK_EQ(y[2], 200);
    }
    CHECK_EQ(y[2], 20);
    return 0;
}
