// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers of 64 MB without any dependence: the constructs return before anything is copied. The only thread of the
// CPU device is held at a gate, which the host opens behind the construct; and the construct takes none of the
// processor time of a copy, which shows on GPUs, where the transfer does not wait for the gate. In a serial program
// without helper threads.
//
// RUN: %cc-both
// RUN: env NOWAIT_HOST_WORKERS=1 NOWAIT_COMPLETION=event LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env NOWAIT_HOST_WORKERS=1 NOWAIT_COMPLETION=event LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %nowait-run %t.stock
// RUN: env NOWAIT_HOST_WORKERS=1 NOWAIT_COMPLETION=requeue %t.plugin
#include "check.h"

/* Copying so much takes the thread that does it 5 ms at least. */
enum { N = 64 << 20, LIMIT_MS = 2, ROUNDS = 3 };

static int gate;
static double before;

static void hold(void)
{
    int *held = &gate;
    gate = 0;
#pragma omp target is_device_ptr(held) nowait
    gate_wait(held);
    before = used_ms();
}

static void release(void)
{
    CHECK_LE(used_ms() - before, LIMIT_MS);
    gate_open(&gate);
}

int main(void)
{
    char *a = malloc(N);
    watchdog(60);
    memset(a, 1, N);
#pragma omp target
    {
    }
    for (int i = 0; i < ROUNDS; i++) {
        hold();
#pragma omp target enter data map(to : a[0 : N]) nowait
        release();
#pragma omp taskwait
        a[0] = 2;
        a[N - 1] = 3;
        hold();
#pragma omp target update to(a[0 : N]) nowait
        release();
#pragma omp taskwait
#pragma omp target map(alloc : a[0 : N])
        {
            a[0] += 10;
            a[N - 1] += 10;
        }
        hold();
#pragma omp target update from(a[0 : N]) nowait
        release();
#pragma omp taskwait
        CHECK_EQ(a[0], 12);
        CHECK_EQ(a[N - 1], 13);
        a[0] = 0;
        hold();
#pragma omp target exit data map(from : a[0 : N]) nowait
        release();
#pragma omp taskwait
        CHECK_EQ(a[0], 12);
        CHECK_EQ(a[1], 1);
    }
    free(a);
    return 0;
}
