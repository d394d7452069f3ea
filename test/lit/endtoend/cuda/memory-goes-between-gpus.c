// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between two GPUs, with and without peer access between them: of all that a program can ask for, whole and
// rectangular, also deferred and behind a region of each GPU. They are the driver's own copies between contexts, and
// none goes through the host.
//
// RUN: %cc-plugin
// RUN: %on-cuda CUDAEMU_DEVICES=2 NOWAIT_COMPLETION=event %t.plugin
// RUN: %on-cuda CUDAEMU_DEVICES=2 NOWAIT_COMPLETION=event CUDAEMU_PEERS=0 %t.plugin
#include "emulated.h"

enum { N = 1 << 18, ROW = 512 };

static int result[N];
static int order;

static void fill(int *to, int device, int value)
{
#pragma omp target is_device_ptr(to) device(device) depend(inout : order) nowait
    for (int i = 0; i < N; i++)
        to[i] = value + i;
}

static void check(const int *from, int device, int value)
{
    memset(result, 0, sizeof result);
    CHECK_EQ(omp_target_memcpy(result, from, sizeof result, 0, 0, omp_get_initial_device(), device), 0);
    for (int i = 0; i < N; i++)
        CHECK_EQ(result[i], value + i);
}

static void both_ways(int *const memory[2], int from)
{
    int to = 1 - from;
    size_t size = N * sizeof(int);
    fill(memory[from], from, 10);
#pragma omp taskwait
    count_calls();
    CHECK_EQ(omp_target_memcpy(memory[to], memory[from], size, 0, 0, to, from), 0);
    CHECK_EQ(calls("cuMemcpyPeerAsync"), 1);
    check(memory[to], to, 10);

    fill(memory[from], from, 20);
    omp_depend_t depend;
#pragma omp depobj(depend) depend(inout : order)
    count_calls();
    CHECK_EQ(omp_target_memcpy_async(memory[to], memory[from], size, 0, 0, to, from, 1, &depend), 0);
    CHECK_EQ(own_blocking_calls(NULL), 0);
#pragma omp taskwait
    CHECK_EQ(calls("cuMemcpyPeerAsync"), 1);
    CHECK_EQ(calls("cuMemcpyDtoHAsync"), 0);
    check(memory[to], to, 20);

    fill(memory[from], from, 30);
#pragma omp taskwait
    const size_t volume[2] = {N / ROW, ROW / 2}, none[2] = {0, 0}, dimensions[2] = {N / ROW, ROW};
    const size_t right[2] = {0, ROW / 2};
    CHECK_EQ(omp_target_memcpy_rect(memory[to], memory[from], sizeof(int), 2, volume, none, none, dimensions,
                                    dimensions, to, from),
             0);
    CHECK_EQ(omp_target_memcpy_rect_async(memory[to], memory[from], sizeof(int), 2, volume, right, right, dimensions,
                                          dimensions, to, from, 0, NULL),
             0);
#pragma omp taskwait
    check(memory[to], to, 30);
#pragma omp depobj(depend) destroy
}

int main(void)
{
    int *memory[2];
    watchdog(60);
    for (int i = 0; i < 2; i++) {
        memory[i] = omp_target_alloc(N * sizeof(int), i);
        CHECK(memory[i] != NULL);
    }
    both_ways(memory, 0);
    both_ways(memory, 1);
    for (int i = 0; i < 2; i++)
        omp_target_free(memory[i], i);
    CHECK_EQ(misuses(), 0);
    return 0;
}
