// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// enter data, update and exit data with nowait that depend on a region which is still running return at once: the host
// opens the gate that holds the region only after it has passed all of them.
//
// RUN: %cc-both
// RUN: %run-nonblocking
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %nowait-run %t.stock
#include "check.h"

enum { N = 1000 };

static void pass(void)
{
    int gate_word = 0, *gate = &gate_word, a[N], b[N], order = 0;
    for (int i = 0; i < N; i++)
        a[i] = i, b[i] = -i;
#pragma omp target enter data map(to : a) depend(out : order) nowait
#pragma omp target map(tofrom : a) depend(inout : order) is_device_ptr(gate) nowait
    {
        gate_wait(gate);
        for (int i = 0; i < N; i++)
            a[i] += 1;
    }
#pragma omp target enter data map(to : b) depend(inout : order) nowait
#pragma omp target update from(a [0:N / 2]) depend(inout : order) nowait
#pragma omp target update to(b) depend(inout : order) nowait
#pragma omp target map(tofrom : a, b) depend(inout : order) nowait
    for (int i = 0; i < N; i++)
        b[i] += a[i];
#pragma omp target exit data map(from : b) depend(inout : order) nowait
#pragma omp target exit data map(release : a) depend(inout : order) nowait
    gate_open(gate);
#pragma omp taskwait
    for (int i = 0; i < N; i++) {
        CHECK_EQ(a[i], i < N / 2 ? i + 1 : i);
        CHECK_EQ(b[i], 1);
    }
    CHECK(!omp_target_is_present(a, omp_get_default_device()));
    CHECK(!omp_target_is_present(b, omp_get_default_device()));
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < 50; i++)
        pass();
#pragma omp parallel num_threads(3)
    for (int i = 0; i < 50; i++)
        pass();
    return 0;
}
