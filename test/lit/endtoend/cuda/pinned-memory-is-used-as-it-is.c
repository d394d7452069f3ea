// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large memory that a program has pinned, registered with the driver or taken as managed is copied from and to by the
// driver itself, as a whole; ordinary memory goes in pieces through pinned memory. The results are the same.
//
// RUN: %cc-plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event %t.plugin
#include "emulated.h"

enum { N = 2 << 20 };

void *llvm_omp_target_alloc_host(size_t size, int device);
void *llvm_omp_target_alloc_shared(size_t size, int device);

/* Calls for a region that maps the array both ways, in each direction. */
static void region(int *array, int whole)
{
    for (int i = 0; i < N; i++)
        array[i] = i;
    count_calls();
#pragma omp target map(tofrom : array[0 : N]) nowait
    for (int i = 0; i < N; i++)
        array[i] *= 2;
    CHECK_EQ(own_blocking_calls(NULL), 0);
#pragma omp taskwait
    if (whole) {
        CHECK_EQ(calls("cuMemcpyHtoDAsync"), 1);
        CHECK_EQ(calls("cuMemcpyDtoHAsync"), 1);
    } else {
        CHECK_LE(5, calls("cuMemcpyHtoDAsync"));
        CHECK_LE(5, calls("cuMemcpyDtoHAsync"));
    }
    for (int i = 0; i < N; i++)
        CHECK_EQ(array[i], 2 * i);
}

int main(void)
{
    size_t size = N * sizeof(int);
    watchdog(60);
    int *ordinary = aligned_alloc(4096, size);
#pragma omp target map(tofrom : ordinary[0 : 1])
    ordinary[0] = 0;
    region(ordinary, 0);
    CHECK_EQ(((int (*)(void *, size_t, unsigned))emulated("cuMemHostRegister_v2"))(ordinary, size, 0), 0);
    region(ordinary, 1);
    CHECK_EQ(((int (*)(void *))emulated("cuMemHostUnregister"))(ordinary), 0);
    region(ordinary, 0);
    free(ordinary);
    region(llvm_omp_target_alloc_host(size, 0), 1);
    region(llvm_omp_target_alloc_shared(size, 0), 1);
    return 0;
}
