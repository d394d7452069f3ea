// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diamonds: one writer, several readers of which half run on the host, one that joins them; and the same with the data
// resident on the device, moved by enter data, update and exit data that are nodes of the graph themselves.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 150 };

static void mapped(int seed)
{
    int top = 0, l = 0, r = 0, third = 0, fourth = 0, bottom = 0;
#pragma omp target map(tofrom : top) depend(out : top) firstprivate(seed) nowait
    top = seed;
#pragma omp target map(to : top) map(from : l) depend(in : top) depend(out : l) nowait
    l = top + 1;
#pragma omp task depend(in : top) depend(out : third) shared(top, third)
    third = top + 2;
#pragma omp target map(to : top) map(from : r) depend(in : top) depend(out : r) nowait
    r = top + 3;
#pragma omp task depend(in : top) depend(out : fourth) shared(top, fourth)
    fourth = top + 4;
#pragma omp target map(to : l, r, third, fourth) map(from : bottom) depend(in : l, r, third, fourth) nowait
    bottom = l * 1000000 + r * 10000 + third * 100 + fourth;
#pragma omp taskwait
    CHECK_EQ(bottom, (seed + 1) * 1000000 + (seed + 3) * 10000 + (seed + 2) * 100 + seed + 4);
}

static void resident(int seed)
{
    int top = seed, left = 0, right = 0, copy = 0;
#pragma omp target enter data map(to : top) map(alloc : left, right) depend(out : top, left, right) nowait
#pragma omp target map(alloc : top) depend(inout : top) nowait
    top += 5;
#pragma omp target map(alloc : top, left) depend(in : top) depend(out : left) nowait
    left = 2 * top;
#pragma omp target map(alloc : top, right) depend(in : top) depend(out : right) nowait
    right = 3 * top;
#pragma omp target update from(top) depend(in : top) depend(out : copy) nowait
#pragma omp task depend(inout : copy) shared(top, copy)
    copy = top;
#pragma omp target exit data map(from : left, right) map(release : top) depend(inout : top, left, right, copy) nowait
#pragma omp taskwait
    CHECK_EQ(copy, seed + 5);
    CHECK_EQ(left, 2 * (seed + 5));
    CHECK_EQ(right, 3 * (seed + 5));
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++) {
        mapped(i % 50);
        resident(i);
    }
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++) {
        mapped(i % 50);
        resident(i);
    }
    return 0;
}
