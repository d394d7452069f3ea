// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// firstprivate structures: a small one, one of more than 1024 bytes (which takes its own device allocation), and
// several packed together with different alignments next to scalars. They are changed right after the construct.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { REPETITIONS = 300, LARGE = 2000 };

struct small {
    char tag;
    short s;
    long l;
};

struct large {
    int first;
    char body[LARGE];
    int last;
};

struct aligned {
    _Alignas(64) int value;
};

__attribute__((noinline)) static void start(int seed, int *out)
{
    struct small small = {(char)(seed % 100), (short)seed, seed};
    struct large large = {.first = seed, .last = seed + 2};
    struct aligned aligned = {seed + 3};
    char letters[5] = {'a', 'b', 'c', 'd', 'e'};
    double numbers[3] = {seed, seed + 1, seed + 2};
    int scalar = seed + 4;
#pragma omp target firstprivate(small) map(from : out [0:1]) nowait
    out[0] = small.tag + small.s + (int)small.l;
#pragma omp target firstprivate(large) map(from : out [1:1]) nowait
    out[1] = large.first + large.last + large.body[LARGE - 1];
#pragma omp target firstprivate(letters, numbers, small, aligned, large, scalar) map(from : out [2:3]) nowait
    {
        out[2] = letters[4] + (int)numbers[2] + small.s + aligned.value + large.last + scalar;
        out[3] = (int)((uintptr_t)&aligned % 64);
        out[4] = (int)((uintptr_t)numbers % sizeof(double));
    }
    memset(&small, -1, sizeof small);
    memset(&large, -1, sizeof large);
    memset(&aligned, -1, sizeof aligned);
    memset(letters, -1, sizeof letters);
    memset(numbers, -1, sizeof numbers);
    scalar = -1;
    __asm__ volatile(""
                     :
                     : "r"(&small), "r"(&large), "r"(&aligned), "r"(letters), "r"(numbers), "r"(&scalar)
                     : "memory");
}

static void pass(int seed)
{
    int out[5];
    start(seed, out);
#pragma omp taskwait
    CHECK_EQ(out[0], seed % 100 + 2 * seed);
    CHECK_EQ(out[1], 2 * seed + 2);
    CHECK_EQ(out[2], 'e' + seed + 2 + seed + seed + 3 + seed + 2 + seed + 4);
    CHECK_EQ(out[3], 0);
    CHECK_EQ(out[4], 0);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
#pragma omp parallel num_threads(3)
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
    return 0;
}
