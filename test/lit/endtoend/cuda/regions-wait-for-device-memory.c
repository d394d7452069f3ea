// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that together need more memory than the GPU has: later ones wait for earlier ones to give theirs back, and
// all results are right. A single region that needs more than there is ends the program: see
// device-faults-are-told-apart.c.
//
// RUN: %cc-plugin
// RUN: %on-cuda CUDAEMU_MEMORY=67108864 CUDAEMU_KERNEL_NS=2000000 %t.plugin
// RUN: %on-cuda CUDAEMU_MEMORY=67108864 CUDAEMU_KERNEL_NS=2000000 CUDAEMU_POOLS=0 %t.plugin
#include "emulated.h"

enum { REGIONS = 60, SIZE = 1 << 20 };

static int arrays[REGIONS][SIZE];

int main(void)
{
    watchdog(100);
    for (int i = 0; i < REGIONS; i++) {
#pragma omp target map(tofrom : arrays[i]) nowait
        for (int k = 0; k < SIZE; k++)
            arrays[i][k] += i + k;
    }
#pragma omp taskwait
    for (int i = 0; i < REGIONS; i++) {
        for (int k = 0; k < SIZE; k += 1000)
            CHECK_EQ(arrays[i][k], i + k);
    }
    CHECK_LE(memory_in_use().device_bytes_high, 67108864);
    return 0;
}
