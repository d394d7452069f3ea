// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of dependent regions: every construct of it returns while the first region is still held back by the host.
// If one of them waited for its predecessor, the host would never open the gate and the watchdog would bark.
//
// RUN: %cc-both
// RUN: %run-nonblocking
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %nowait-run %t.stock
#include "check.h"

enum { LENGTH = 8 };

static void chain(void)
{
    int gate_word = 0, *gate = &gate_word, x = 0;
#pragma omp target map(tofrom : x) depend(out : x) is_device_ptr(gate) nowait
    {
        gate_wait(gate);
        x = 1;
    }
    for (int i = 0; i < LENGTH; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x = 2 * x + 1;
    }
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(x, (1 << (LENGTH + 1)) - 1);
}

int main(void)
{
    watchdog(40);
    chain();
#pragma omp parallel num_threads(2)
#pragma omp single
    chain();
#pragma omp parallel num_threads(3)
    chain();
    return 0;
}
