// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strided sections that begin in the middle, and sections below an index: clang's description of them does not say
// where they begin, so this needs the plugin; it does for constructs without nowait too, and in programs without any
// deferred region (llvm/llvm-project PRs 156889, 157443).
//
// RUN: %cc-plugin
// RUN: %run-plugin
// RUN: %nowait-clang %flags -DONLY_SYNCHRONOUS %s -o %t.plugin && %t.plugin
#include "check.h"

#ifdef ONLY_SYNCHRONOUS
#define NOWAIT
#else
#define NOWAIT nowait
#endif

enum { I = 6, J = 7, K = 8 };

static int a[I][J][K];

static void enter(void)
{
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            for (int k = 0; k < K; k++)
                a[i][j][k] = 100 * i + 10 * j + k;
#pragma omp target enter data map(to : a)
#pragma omp target map(alloc : a)
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            for (int k = 0; k < K; k++)
                a[i][j][k] += 1000;
}

static int in(int i, int begin, int n, int stride)
{
    return i >= begin && (i - begin) % stride == 0 && (i - begin) / stride < n;
}

static void leave_after(int i0, int in_, int is, int j0, int jn, int js, int k0, int kn, int ks)
{
#pragma omp target exit data map(release : a)
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            for (int k = 0; k < K; k++)
                CHECK_EQ(a[i][j][k], 100 * i + 10 * j + k +
                                         (in(i, i0, in_, is) && in(j, j0, jn, js) && in(k, k0, kn, ks) ? 1000 : 0));
}

int main(void)
{
    volatile int three = 3;
    int n = three;
    watchdog(40);
    enter();
#pragma omp target update from(a [1:2:2] [1:3:2] [1:3:2]) NOWAIT
#pragma omp taskwait
    leave_after(1, 2, 2, 1, 3, 2, 1, 3, 2);
    enter();
#pragma omp target update from(a [1:n:2] [2:2:3] [1:n])
    leave_after(1, 3, 2, 2, 2, 3, 1, 3, 1);
    enter();
#pragma omp target update from(a [2] [1:n:2] [3:n]) NOWAIT
#pragma omp taskwait
    leave_after(2, 1, 1, 1, 3, 2, 3, 3, 1);
    enter();
#pragma omp target update from(a [4] [1:3] [2:4])
    leave_after(4, 1, 1, 1, 3, 1, 2, 4, 1);
    enter();
#pragma omp target update from(a [1:2:3] [5] [2:n]) NOWAIT
#pragma omp taskwait
    leave_after(1, 2, 3, 5, 1, 1, 2, 3, 1);
    return 0;
}
