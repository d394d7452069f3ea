// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host task that depends on a region starts only when the region's data has been copied back: dependences are
// released after post-processing, not when the kernel ends (the shape of OpenMP_VV issues 219 and 190). A
// large array makes the copy take longer than the kernel.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 100, N = 1 << 18 };

static int a[N];

static void pass(int seed)
{
    int sum = 0, wrong = 0;
#pragma omp target map(tofrom : a, sum) depend(out : a) firstprivate(seed) nowait
    {
        a[0] = seed;
        a[N - 1] = -seed;
        for (int i = 1; i < N - 1; i += 1000)
            sum += 1;
    }
#pragma omp task depend(in : a) shared(a, sum, wrong) firstprivate(seed)
    wrong = a[0] != seed || a[N - 1] != -seed || sum != (N - 2 + 999) / 1000 ||
            omp_target_is_present(a, omp_get_default_device());
#pragma omp taskwait
    CHECK_EQ(wrong, 0);
}

int main(void)
{
    watchdog(40);
    for (int i = 1; i <= REPETITIONS; i++)
        pass(i);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 1; i <= REPETITIONS; i++)
        pass(i);
    return 0;
}
