// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions behind dependences start on the runtime's own threads. If they then need more memory than the GPU has left,
// they wait for others to give theirs back, as those in their constructs do: small regions, each with a large
// one behind it, all large ones together far beyond what there is. Their arrays go by way of the progress thread alone,
// or of the transfer thread.
//
// RUN: %cc-plugin
// RUN: %on-cuda CUDAEMU_MEMORY=33554432 CUDAEMU_KERNEL_NS=2000000 %t.plugin small
// RUN: %on-cuda CUDAEMU_MEMORY=33554432 CUDAEMU_KERNEL_NS=2000000 %t.plugin large
// RUN: %on-cuda CUDAEMU_MEMORY=33554432 CUDAEMU_KERNEL_NS=2000000 CUDAEMU_POOLS=0 %t.plugin large
#include "emulated.h"

enum { REGIONS = 300, LARGE = 1 << 18, SMALL = 1 << 12 };

static int arrays[REGIONS][LARGE];
static char rooms[REGIONS][1 << 20];

static void run(int size)
{
    int before[REGIONS];
    for (int i = 0; i < REGIONS; i++) {
#pragma omp target map(from : before[i : 1]) depend(out : before[i]) nowait
        before[i] = i;
        int *array = arrays[i];
        char *room = rooms[i];
#pragma omp target map(tofrom : array[0 : size]) map(alloc : room[0 : 1 << 20]) depend(inout : before[i]) nowait
        for (int k = room[0] = 0; k < size; k++)
            array[k] += i + k;
    }
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    watchdog(100);
    CHECK_EQ(argc, 2);
    int size = strcmp(argv[1], "small") == 0 ? SMALL : LARGE;
    run(size);
    for (int i = 0; i < REGIONS; i++) {
        for (int k = 0; k < size; k += 100)
            CHECK_EQ(arrays[i][k], i + k);
    }
    CHECK_LE(memory_in_use().device_bytes_high, 33554432);
    CHECK_EQ(misuses(), 0);
    return 0;
}
