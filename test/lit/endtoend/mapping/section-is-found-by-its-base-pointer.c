// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A section that has been mapped without its array's begin is found by the array's pointer, which lies before it or,
// for a pointer into the middle, behind it: in regions that capture the pointer, in use_device_ptr, and in a pointer
// member. Such a use counts nothing, and a pointer to what is not mapped at all keeps its value.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 1000, FROM = 300, LENGTH = 200 };

int main(void)
{
    int *a = malloc(N * sizeof *a), *elsewhere = malloc(sizeof *elsewhere), *seen;
    watchdog(60);
    for (int i = 0; i < N; i++)
        a[i] = i;

#pragma omp target enter data map(to : a [FROM:LENGTH])
    for (int i = 0; i < N; i++)
        a[i] = -1;
#pragma omp target nowait
    for (int i = FROM; i < FROM + LENGTH; i++)
        a[i] *= 2;
#pragma omp taskwait
#pragma omp target
    a[FROM] += 7;

    seen = NULL;
#pragma omp target data use_device_ptr(a)
    seen = a;
    CHECK_NE((long long)(uintptr_t)seen, (long long)(uintptr_t)a);
    CHECK_EQ(omp_target_is_present(&a[FROM], omp_get_default_device()), 1);

    /* Nothing was counted: one release ends the mapping. */
#pragma omp target exit data map(from : a [FROM:LENGTH])
    CHECK_EQ(omp_target_is_present(&a[FROM], omp_get_default_device()), 0);
    CHECK_EQ(a[FROM - 1], -1);
    CHECK_EQ(a[FROM], 2 * FROM + 7);
    CHECK_EQ(a[FROM + LENGTH - 1], 2 * (FROM + LENGTH - 1));
    CHECK_EQ(a[FROM + LENGTH], -1);

    /* A base behind the section. */
    int *end = a + N;
#pragma omp target enter data map(to : end [-N:10])
#pragma omp target
    end[-N] = 5;
#pragma omp target exit data map(from : end [-N:10])
    CHECK_EQ(a[0], 5);

    /* No mapping has this base. */
    seen = NULL;
#pragma omp target data use_device_ptr(elsewhere)
    seen = elsewhere;
    CHECK_PTR_EQ(seen, elsewhere);
    free(a);
    free(elsewhere);
    return 0;
}
