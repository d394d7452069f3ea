// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions across teams and threads of regions with nowait; four host threads run the same reduction kernel at the
// same time on their own sums (llvm/llvm-project 70249: a buffer shared by launches gave zeros).
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 1000, THREADS = 4, REPETITIONS = 10 };

static long sum_of(const int *a)
{
    long sum = 7;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : a [0:N]) thread_limit(2) nowait
    for (int i = 0; i < N; i++)
        sum += a[i];
#pragma omp taskwait
    return sum;
}

int main(void)
{
    int a[N], largest = -1, bad = 0;
    double product = 1;
    watchdog(40);
    for (int i = 0; i < N; i++)
        a[i] = i;
    CHECK_EQ(sum_of(a), 7 + N * (N - 1) / 2);

#pragma omp target parallel for reduction(max : largest) reduction(* : product) num_threads(2) nowait
    for (int i = 0; i < N; i++) {
        largest = a[i] > largest ? a[i] : largest;
        product *= i == 500 ? 4 : 1;
    }
#pragma omp taskwait
    CHECK_EQ(largest, N - 1);
    CHECK_EQ(product, 4);

#pragma omp parallel num_threads(THREADS) reduction(+ : bad)
    for (int rep = 0; rep < REPETITIONS; rep++)
        bad += sum_of(a) != 7 + N * (N - 1) / 2;
    CHECK_EQ(bad, 0);
    return 0;
}
