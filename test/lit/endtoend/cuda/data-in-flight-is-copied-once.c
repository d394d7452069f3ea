// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions in flight on a GPU that map the same large array `to` use one copy of it: its bytes cross the bus once, in
// pieces, and take device memory once. Regions that bring it back, too, follow each other on one copy. Pinned memory
// goes to the GPU together with its region's kernel: waiting for that is dearer than a copy, and each has its own.
//
// RUN: %cc-plugin
// RUN: env CUDAEMU_KERNEL_NS=20000000 %on-cuda NOWAIT_COMPLETION=event %t.plugin
// RUN: env CUDAEMU_KERNEL_NS=20000000 %on-cuda NOWAIT_COMPLETION=event NOWAIT_REUSE=0 %t.plugin apart
#include "emulated.h"

enum { N = 1 << 19, REGIONS = 8, BYTES = N * sizeof(double), MOST_PIECES = BYTES / 1000000 + 1 };

void *llvm_omp_target_alloc_host(size_t size, int device);

/* Regions that read; returns how much device memory the program has used at most. */
static uint64_t read_all(double *array, double *results)
{
    for (int k = 0; k < REGIONS; k++) {
#pragma omp target map(to : array[0 : N]) map(from : results[k : 1]) nowait
        results[k] = array[k] + array[N - 1];
    }
    CHECK_EQ(own_blocking_calls(NULL), 0);
#pragma omp taskwait
    for (int k = 0; k < REGIONS; k++)
        CHECK_EQ(results[k], k + N - 1);
    return memory_in_use().device_bytes_high;
}

int main(int argc, char **argv)
{
    int copies = argc > 1 ? REGIONS : 1;
    double results[REGIONS], *array = malloc(BYTES), *pinned = llvm_omp_target_alloc_host(BYTES, 0);
    (void)argv;
    watchdog(100);
    for (int i = 0; i < N; i++)
        array[i] = pinned[i] = i;
#pragma omp target map(tofrom : results)
    results[0] = 0;
    count_calls();
    uint64_t most = read_all(array, results);
    CHECK_LE((double)copies * BYTES, most);
    CHECK_LE(most, copies * 1.5 * BYTES);
    CHECK_LE(copies * (BYTES >> 20), calls("cuMemcpyHtoDAsync"));
    CHECK_LE(calls("cuMemcpyHtoDAsync"), copies * MOST_PIECES);

    count_calls();
    for (int k = 0; k < REGIONS; k++) {
#pragma omp target map(tofrom : array[0 : N]) nowait
        for (int i = 0; i < N; i++)
            array[i] += 1;
    }
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(array[i], i + REGIONS);
    CHECK_LE(calls("cuMemcpyHtoDAsync"), copies * MOST_PIECES);

    count_calls();
    (void)read_all(pinned, results);
    CHECK_EQ(calls("cuMemcpyHtoDAsync"), REGIONS);
    CHECK_EQ(misuses(), 0);
    return 0;
}
