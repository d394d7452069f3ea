// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers of 64 MB without any dependence: the constructs return within 10 ms, in a serial program without helper
// threads, although the copies take longer than that.
//
// RUN: %cc-both
// RUN: env NOWAIT_COMPLETION=event LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env NOWAIT_COMPLETION=event LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %nowait-run %t.stock
// RUN: env NOWAIT_COMPLETION=requeue %t.plugin
#include "check.h"

enum { N = 64 << 20, LIMIT_MS = 10, TRIES = 3 };

static double best(double a, double b)
{
    return a < b ? a : b;
}

int main(void)
{
    char *a = malloc(N);
    double enter = 1e9, update_to = 1e9, update_from = 1e9, leave = 1e9, t;
    watchdog(40);
    memset(a, 1, N);
    for (int i = 0; i < TRIES; i++) {
        t = now_ms();
#pragma omp target enter data map(to : a [0:N]) nowait
        enter = best(enter, now_ms() - t);
#pragma omp taskwait
        a[0] = 2;
        a[N - 1] = 3;
        t = now_ms();
#pragma omp target update to(a [0:N]) nowait
        update_to = best(update_to, now_ms() - t);
#pragma omp taskwait
#pragma omp target map(alloc : a [0:N])
        {
            a[0] += 10;
            a[N - 1] += 10;
        }
        t = now_ms();
#pragma omp target update from(a [0:N]) nowait
        update_from = best(update_from, now_ms() - t);
#pragma omp taskwait
        CHECK_EQ(a[0], 12);
        CHECK_EQ(a[N - 1], 13);
        a[0] = 0;
        t = now_ms();
#pragma omp target exit data map(from : a [0:N]) nowait
        leave = best(leave, now_ms() - t);
#pragma omp taskwait
        CHECK_EQ(a[0], 12);
        CHECK_EQ(a[1], 1);
    }
    CHECK_LE(enter, LIMIT_MS);
    CHECK_LE(update_to, LIMIT_MS);
    CHECK_LE(update_from, LIMIT_MS);
    CHECK_LE(leave, LIMIT_MS);
    free(a);
    return 0;
}
