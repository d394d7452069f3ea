// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lambdas that regions call: what they capture by reference is the region's own copy if it is mapped, also behind a
// depend, after the function that launched the region has returned, and for lambdas that capture `this`.
//
// RUN: %cxx-both
// RUN: %run-both
#include "check.h"

enum { N = 50 };

static int results[N], ready;

/* The lambda is firstprivate, its captures mapped. */
static void by_reference()
{
    int values[N], factor = 3;
    for (int i = 0; i < N; i++)
        values[i] = i;
    auto scale = [&](int i) { values[i] *= factor; };
#pragma omp target map(tofrom : values) map(to : factor) nowait
    for (int i = 0; i < N; i++)
        scale(i);
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(values[i], 3 * i);
}

static void present_before()
{
    int values[N], factor = 5;
    for (int i = 0; i < N; i++)
        values[i] = i;
    auto scale = [&](int i) { values[i] *= factor; };
#pragma omp target enter data map(to : values, factor)
    factor = 0;
#pragma omp target map(to : scale) map(alloc : values, factor) nowait
    for (int i = 0; i < N; i++)
        scale(i);
#pragma omp taskwait
#pragma omp target exit data map(from : values) map(release : factor)
    for (int i = 0; i < N; i++)
        CHECK_EQ(values[i], 5 * i);
}

/* The lambda's own values at the construct, although it starts when the function has returned. */
static void __attribute__((noinline)) launch_later(int offset)
{
    int first = offset, second = offset + 1;
    auto add = [=](int i) { return i + first + second; };
#pragma omp target map(tofrom : results) firstprivate(add) depend(inout : ready) nowait
    for (int i = 0; i < N; i++)
        results[i] = add(i);
}

static void __attribute__((noinline)) smash(int value)
{
    volatile int words[256];
    for (int i = 0; i < 256; i++)
        words[i] = value;
}

static void by_value_and_late()
{
#pragma omp target map(tofrom : ready) depend(inout : ready) nowait
    for (volatile int i = 0; i < 20000000; i++)
        ;
    launch_later(7);
    smash(-1);
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(results[i], i + 15);
}

struct Box {
    int weight, total;
    void fill(int n)
    {
        auto add = [this](int i) { total += i * weight; };
#pragma omp target map(tofrom : this[0 : 1]) nowait
        for (int i = 0; i < n; i++)
            add(i);
#pragma omp taskwait
    }
};

int main()
{
    watchdog(40);
    for (int rep = 0; rep < 20; rep++) {
        by_reference();
        present_before();
    }
    by_value_and_late();
    Box box = {2, 1};
    box.fill(10);
    CHECK_EQ(box.total, 91);
    return 0;
}
