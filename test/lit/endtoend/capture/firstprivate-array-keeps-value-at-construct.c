// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function starts a region with a firstprivate array, overwrites the array and returns; its caller reuses the stack.
// The region sees the values from the construct. Stock passes the address of the dead stack variable to the deferred
// kernel: 168 of 200 iterations are wrong on 19 and 192 on 22.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 500, N = 4 };

__attribute__((noinline)) static void start(int seed, int *out)
{
    int array[N];
    for (int i = 0; i < N; i++)
        array[i] = seed + i;
#pragma omp target firstprivate(array) map(from : out [0:N]) nowait
    for (int i = 0; i < N; i++)
        out[i] = array[i];
    for (int i = 0; i < N; i++)
        array[i] = -1;
    __asm__ volatile("" : : "r"(array) : "memory");
}

__attribute__((noinline)) static void smash_stack(void)
{
    char junk[4096];
    memset(junk, 0xa5, sizeof junk);
    __asm__ volatile("" : : "r"(junk) : "memory");
}

static int wrong(int seed)
{
    int out[N] = {0}, bad = 0;
    start(seed, out);
    smash_stack();
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        bad |= out[i] != seed + i;
    return bad;
}

int main(void)
{
    int bad = 0;
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        bad += wrong(i);
#pragma omp parallel num_threads(3) reduction(+ : bad)
    for (int i = 0; i < REPETITIONS; i++)
        bad += wrong(i);
    CHECK_EQ(bad, 0);
    return 0;
}
