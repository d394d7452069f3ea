// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A firstprivate array whose length is known at run time only, changed right after the construct; small and large.
// Plugin only: clang gives such an array no room in the task, so what stock clang builds writes past the task's end.
//
// RUN: %cc-plugin
// RUN: %run-plugin
// RUN: env NOWAIT_COMPLETION=block %t.plugin
#include "check.h"

enum { REPETITIONS = 200 };

__attribute__((noinline)) static void start(int n, int seed, int *order, int *out)
{
    int array[n];
    for (int i = 0; i < n; i++)
        array[i] = seed + i;
#pragma omp target firstprivate(array) map(from : out [0:n]) nowait
    for (int i = 0; i < n; i++)
        out[i] = array[i];
#pragma omp target firstprivate(array) map(from : out [n:n]) depend(inout : *order) nowait
    for (int i = 0; i < n; i++)
        out[n + i] = 2 * array[i];
    memset(array, -1, sizeof(int) * (size_t)n);
    __asm__ volatile("" : : "r"(array) : "memory");
}

static void pass(int n, int seed)
{
    int order = 0, out[2 * n];
#pragma omp target map(tofrom : order) depend(inout : order) nowait
    {
        sleep_us(100);
        order++;
    }
    start(n, seed, &order, out);
#pragma omp taskwait
    for (int i = 0; i < n; i++) {
        CHECK_EQ(out[i], seed + i);
        CHECK_EQ(out[n + i], 2 * (seed + i));
    }
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass(1 + i % 7 * 150, i);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < REPETITIONS; i++)
        pass(1 + i % 7 * 150, i);
    return 0;
}
