// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each iteration of a taskloop starts a region with a firstprivate array of the iteration, which dies with it.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { REPETITIONS = 100, ITERATIONS = 16, N = 3 };

static void pass(int seed)
{
    int out[ITERATIONS];
#pragma omp taskloop grainsize(4) shared(out) firstprivate(seed)
    for (int i = 0; i < ITERATIONS; i++) {
        int array[N] = {seed, i, seed * i}, *mine = &out[i];
#pragma omp target firstprivate(array) map(from : mine [0:1]) nowait
        mine[0] = array[0] + array[1] + array[2];
        array[0] = array[1] = array[2] = -1;
        __asm__ volatile("" : : "r"(array) : "memory");
    }
    for (int i = 0; i < ITERATIONS; i++)
        CHECK_EQ(out[i], seed + i + seed * i);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
    return 0;
}
