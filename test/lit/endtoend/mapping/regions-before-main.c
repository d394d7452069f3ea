// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions in constructors of the program and of a library: images are registered before libomp is up, and the first
// region comes before main. What was mapped then is still there in main.
//
// RUN: %nowait-clang %flags -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %nowait-clang %flags %s %t.so -o %t.plugin
// RUN: %run-plugin
// RUN: env NOWAIT_COMPLETION=block %t.plugin
// RUN: %stock-clang %flags -DLIBRARY -shared -fPIC %s -o %t.stock.so
// RUN: %stock-clang %flags %s %t.stock.so -o %t.stock
// RUN: %nowait-run %t.stock
// RUN: env NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %nowait-run %t.stock
#include "check.h"

enum { N = 100 };

#ifdef LIBRARY
int library_sum;

__attribute__((constructor)) static void start(void)
{
    int sum = 0;
#pragma omp target map(tofrom : sum) nowait
    for (int i = 0; i < N; i++)
        sum += i;
#pragma omp taskwait
    library_sum = sum;
}
#else
extern int library_sum;
static int early[N], depends;

__attribute__((constructor)) static void start(void)
{
    watchdog(40);
    for (int i = 0; i < N; i++)
        early[i] = i;
#pragma omp target enter data map(to : early) depend(out : depends) nowait
#pragma omp target depend(inout : depends) nowait
    for (int i = 0; i < N; i++)
        early[i] *= 2;
}

int main(void)
{
    CHECK_EQ(library_sum, N * (N - 1) / 2);
#pragma omp target exit data map(from : early) depend(in : depends) nowait
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(early[i], 2 * i);
    CHECK(!omp_target_is_present(early, omp_get_default_device()));
    return 0;
}
#endif
