// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_target_memcpy next to regions: a copy that is made after taskwait sees what the regions wrote, a region sees the
// copy that was made before its construct, and a copy made while a region runs on other memory does not wait for it
// (OpenMP_VV issues 795 and 797).
//
// RUN: %cc-both
// RUN: %run-nonblocking
#include "check.h"

enum { N = 1000, REPETITIONS = 100 };

int main(void)
{
    int device = omp_get_default_device(), host = omp_get_initial_device();
    int *buffer = omp_target_alloc(N * sizeof(int), device), *other = omp_target_alloc(N * sizeof(int), device);
    int a[N], gate_word = 0, *gate = &gate_word;
    watchdog(40);
    CHECK(buffer != NULL && other != NULL);
    for (int rep = 0; rep < REPETITIONS; rep++) {
        for (int i = 0; i < N; i++)
            a[i] = rep + i;
        CHECK_EQ(omp_target_memcpy(buffer, a, sizeof a, 0, 0, device, host), 0);
#pragma omp target is_device_ptr(buffer) depend(inout : buffer [0:N]) nowait
        for (int i = 0; i < N; i++)
            buffer[i] *= 2;
#pragma omp target is_device_ptr(buffer) depend(inout : buffer [0:N]) nowait
        for (int i = 0; i < N; i++)
            buffer[i] += 1;
#pragma omp taskwait
        CHECK_EQ(omp_target_memcpy(a, buffer, sizeof a, 0, 0, host, device), 0);
        for (int i = 0; i < N; i++)
            CHECK_EQ(a[i], 2 * (rep + i) + 1);
    }

#pragma omp target is_device_ptr(buffer, gate) nowait
    {
        gate_wait(gate);
        buffer[0] = 77;
    }
    CHECK_EQ(omp_target_memcpy(other, a, sizeof a, 0, 0, device, host), 0);
    CHECK_EQ(omp_target_memcpy(a, other, sizeof(int), sizeof(int), 0, host, device), 0);
    CHECK_EQ(a[1], a[0]);
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(omp_target_memcpy(a, buffer, sizeof(int), 0, 0, host, device), 0);
    CHECK_EQ(a[0], 77);
    omp_target_free(buffer, device);
    omp_target_free(other, device);
    return 0;
}
