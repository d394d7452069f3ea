// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// enter data nowait of a large array, and at once, without depend, a region that finds the array present and reads its
// last element: it has to wait for the transfer that another construct started. So must a region without nowait, an
// update from, and omp_target_memcpy's users after taskwait.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { N = 16 << 20, REPETITIONS = 4 };

static unsigned char *a;

static void send(int value)
{
    a[0] = a[N - 1] = (unsigned char)value;
#pragma omp target enter data map(to : a [0:N]) nowait
}

static void drop(void)
{
#pragma omp taskwait
#pragma omp target exit data map(delete : a [0:N])
}

static void pass(int value)
{
    int first = -1, last = -1;
    send(value);
#pragma omp target map(to : a [0:N]) map(from : first, last) nowait
    {
        last = a[N - 1];
        first = a[0];
    }
#pragma omp taskwait
    CHECK_EQ(last, value);
    CHECK_EQ(first, value);
    drop();

    last = -1;
    send(value + 1);
#pragma omp target map(to : a [0:N]) map(from : last)
    last = a[N - 1];
    CHECK_EQ(last, value + 1);
    drop();

    last = -1;
    send(value + 2);
#pragma omp target map(to : a [0:N]) map(from : last) depend(inout : last) nowait
    last = a[N - 1];
#pragma omp target map(to : a [0:N]) map(tofrom : last) depend(inout : last) nowait
    last += a[N - 1];
    drop();
    CHECK_EQ(last, 2 * (value + 2));
}

int main(void)
{
    watchdog(40);
    a = calloc(N, 1);
    CHECK(a != NULL);
    for (int i = 0; i < REPETITIONS; i++)
        pass(3 * i + 1);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++)
        pass(3 * i + 1);
    free(a);
    return 0;
}
