// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The present modifier on data that is present changes nothing: on regions, enter and exit data and updates.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 20 };

int main(void)
{
    int a[N], sum = 0;
    watchdog(40);
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target enter data map(to : a)
#pragma omp target map(present, alloc : a) map(tofrom : sum) nowait
    for (int i = 0; i < N; i++)
        sum += a[i]++;
#pragma omp taskwait
    CHECK_EQ(sum, N * (N - 1) / 2);
#pragma omp target enter data map(present, alloc : a [5:10]) nowait
#pragma omp taskwait
#pragma omp target update from(present : a [5:10]) nowait
#pragma omp taskwait
    CHECK_EQ(a[4], 4);
    CHECK_EQ(a[5], 6);
    CHECK_EQ(a[14], 15);
    CHECK_EQ(a[15], 15);
#pragma omp target exit data map(release : a) nowait
#pragma omp taskwait
    CHECK(omp_target_is_present(a, omp_get_default_device()));
#pragma omp target exit data map(present, delete : a) nowait
#pragma omp taskwait
    CHECK(!omp_target_is_present(a, omp_get_default_device()));
    return 0;
}
