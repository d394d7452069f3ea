// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// firstprivate objects with a copy constructor and a destructor of their own, started at once and behind a dependence.
// The region sees the state from the construct, and on the host as many objects die as were made.
//
// RUN: %cxx-both
// RUN: %run-both
#include "check.h"

/* The device has its own: it copies and destroys objects too. */
#pragma omp begin declare target
static int alive;
#pragma omp end declare target

struct Counted {
    int value[3];
    explicit Counted(int v) : value{v, v + 1, v + 2}
    {
        __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
    }
    Counted(const Counted &other) : value{other.value[0], other.value[1], other.value[2]}
    {
        __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
    }
    ~Counted()
    {
        value[0] = value[1] = value[2] = -1;
        __atomic_sub_fetch(&alive, 1, __ATOMIC_RELAXED);
    }
};

__attribute__((noinline)) static void start(int seed, int *order, int *out)
{
    Counted object(seed);
#pragma omp target firstprivate(object) map(from : out [0:1]) nowait
    out[0] = object.value[0] + object.value[1] + object.value[2];
#pragma omp target firstprivate(object) map(from : out [1:1]) depend(inout : *order) nowait
    out[1] = object.value[2];
    object.value[0] = object.value[1] = object.value[2] = -1;
}

static void pass(int seed)
{
    int order = 0, out[2];
#pragma omp target map(tofrom : order) depend(inout : order) nowait
    {
        sleep_us(100);
        order++;
    }
    start(seed, &order, out);
#pragma omp taskwait
    CHECK_EQ(out[0], 3 * seed + 3);
    CHECK_EQ(out[1], seed + 2);
}

int main()
{
    watchdog(40);
    for (int i = 0; i < 200; i++)
        pass(i);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 200; i++)
        pass(i);
    CHECK_EQ(alive, 0);
    return 0;
}
