// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without the plugin, and where the code can't be read (here: without unwind tables), the first encounter of a
// construct with depend makes its thread take the regions in flight over, and poll for them. That ends with the next
// taskwait, also in a program that always has a region without depend in flight when it makes one with depend, as a
// solver has that updates halos while inner points are computed.
//
// RUN: %cc-both
// RUN: %run-event
// RUN: %stock-clang %flags -fno-asynchronous-unwind-tables -fno-unwind-tables %s -o %t.unread && %nowait-run %t.unread
#include "check.h"

enum { ROUNDS = 5, SLEEP_MS = 100 };

static void inner(int *x)
{
#pragma omp target map(tofrom : x[0 : 1]) nowait
    {
        sleep_us(SLEEP_MS * 1000L);
        x[0]++;
    }
}

static void halo(int *y)
{
#pragma omp target map(tofrom : y[0 : 1]) depend(inout : y[0]) nowait
    y[0]++;
}

static void round_of_both(int *x, int *y)
{
    inner(x);
    halo(y);
    halo(y);
#pragma omp taskwait
}

int main(void)
{
    int x = 0, y = 0;
    watchdog(30);
    inner(&x);
#pragma omp taskwait
    round_of_both(&x, &y); /* the encounter */
    round_of_both(&x, &y);
    double before = used_ms();
    for (int i = 0; i < ROUNDS; i++)
        round_of_both(&x, &y);
    CHECK_LE(used_ms() - before, ROUNDS * SLEEP_MS / 5);
    CHECK_EQ(x, ROUNDS + 3);
    CHECK_EQ(y, 2 * (ROUNDS + 2));
    return 0;
}
