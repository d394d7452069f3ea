// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Like the plain array, but the region waits for another one which the host holds until the stack variable is dead: the
// runtime cannot read it early.  Array, structure, structure beyond the size that is packed, and several at once.
// Stock fails in every repetition.
//
// RUN: %cc-both
// RUN: %run-nonblocking
// RUN: %stock-clang %flags -fno-asynchronous-unwind-tables -fno-unwind-tables %s -o %t.unread && %nowait-run %t.unread
// RUN: env NOWAIT_COMPLETION=event LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 100, N = 4, LARGE = 3000 };

struct small {
    int a;
    double b;
    char c[3];
};

struct large {
    int head;
    char body[LARGE];
    int tail;
};

__attribute__((noinline)) static void start(int seed, int *order, int *out)
{
    int array[N] = {seed, seed + 1, seed + 2, seed + 3};
    struct small small = {seed, seed + 0.5, {1, 2, 3}};
    struct large large;
    memset(&large, 7, sizeof large);
    large.head = seed;
    large.tail = seed + 1;
#pragma omp target firstprivate(array) map(from : out [0:1]) depend(inout : *order) nowait
    out[0] = array[0] + array[3];
#pragma omp target firstprivate(small) map(from : out [1:1]) depend(inout : *order) nowait
    out[1] = small.a + (int)(2 * small.b) + small.c[2];
#pragma omp target firstprivate(large) map(from : out [2:1]) depend(inout : *order) nowait
    out[2] = large.head + large.tail + large.body[LARGE - 1];
#pragma omp target firstprivate(array, small, large) map(from : out [3:1]) depend(inout : *order) nowait
    out[3] = array[1] + small.c[1] + large.tail + large.body[0];
    memset(array, -1, sizeof array);
    memset(&small, -1, sizeof small);
    memset(&large, -1, sizeof large);
    __asm__ volatile("" : : "r"(array), "r"(&small), "r"(&large) : "memory");
}

static void pass(int seed)
{
    int gate_word = 0, *gate = &gate_word, order = 0, out[4] = {0};
#pragma omp target is_device_ptr(gate) depend(inout : order) nowait
    gate_wait(gate);
    start(seed, &order, out);
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(out[0], 2 * seed + 3);
    CHECK_EQ(out[1], seed + 2 * seed + 1 + 3);
    CHECK_EQ(out[2], 2 * seed + 1 + 7);
    CHECK_EQ(out[3], seed + 1 + 2 + seed + 1 + 7);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
    return 0;
}
