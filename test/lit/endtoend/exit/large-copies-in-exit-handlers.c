// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A handler that was registered before the program's first region runs when the runtime has ended its threads. Its
// constructs work all the same, also with more data than a thread copies by itself, each way and as firstprivate, and
// return.
//
// RUN: %cc-both
// RUN: %t.plugin
// RUN: %on-cuda %t.plugin
// RUN: %on-cuda %nowait-run %t.stock
// RUN: %on-cuda NOWAIT_CUDA_COMPLETION=event %t.plugin
// RUN: %on-cuda NOWAIT_SPIN=0 %t.plugin
#include "check.h"

enum { N = 300000 };

static int big[N], other[N];

static void at_exit(void)
{
    int copy[N / 2], sum = 0;
#pragma omp target map(from : big)
    for (int i = 0; i < N; i++)
        big[i] = i;
    for (int i = 0; i < N; i++)
        CHECK_EQ(big[i], i);
#pragma omp target map(to : big) map(tofrom : other)
    for (int i = 0; i < N; i++)
        other[i] += big[i];
    for (int i = 0; i < N; i++)
        CHECK_EQ(other[i], 1 + i);
    for (int i = 0; i < N / 2; i++)
        copy[i] = 2;
#pragma omp target firstprivate(copy) map(tofrom : sum)
    for (int i = 0; i < N / 2; i++)
        sum += copy[i];
    CHECK_EQ(sum, N);
#pragma omp target enter data map(to : big)
#pragma omp target map(tofrom : big)
    big[N - 1] = 7;
#pragma omp target update from(big)
    CHECK_EQ(big[N - 1], 7);
#pragma omp target exit data map(delete : big)
}

int main(void)
{
    watchdog(60);
    CHECK_EQ(atexit(at_exit), 0);
    for (int i = 0; i < N; i++)
        other[i] = 0;
#pragma omp target map(tofrom : other) nowait
    for (int i = 0; i < N; i++)
        other[i]++;
#pragma omp taskwait
    return 0;
}
