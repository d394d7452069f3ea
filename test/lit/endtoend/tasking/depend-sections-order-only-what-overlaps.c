// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of decreasing work each take a ticket; all tickets are taken after taskwait, and what has a dependence keeps
// its order (the shape of OpenMP_VV issues 3 and 46).
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { REGIONS = 8, N = 64, REPETITIONS = 20 };

static void tickets(void)
{
    int next_word = 0, *next = &next_word, ticket[REGIONS], seen[REGIONS] = {0};
    for (int r = 0; r < REGIONS; r++) {
        int *mine = &ticket[r];
#pragma omp target map(from : mine [0:1]) is_device_ptr(next) firstprivate(r) nowait
        {
            sleep_us(100 * (REGIONS - r));
            mine[0] = count_up(next);
        }
    }
#pragma omp taskwait
    CHECK_EQ(next_word, REGIONS);
    for (int r = 0; r < REGIONS; r++)
        CHECK_EQ(seen[ticket[r]]++, 0);
}

static void halves(void)
{
    int c[N], sum_low = 0, sum_high = 0;
#pragma omp target map(from : c [0:N / 2]) depend(out : c [0:N / 2]) nowait
    {
        sleep_us(500);
        for (int i = 0; i < N / 2; i++)
            c[i] = 1;
    }
#pragma omp target map(from : c [N / 2:N / 2]) depend(out : c [N / 2:N / 2]) nowait
    for (int i = N / 2; i < N; i++)
        c[i] = 2;
#pragma omp target map(to : c [0:N / 2]) map(from : sum_low) depend(in : c [0:N / 2]) nowait
    {
        sum_low = 0;
        for (int i = 0; i < N / 2; i++)
            sum_low += c[i];
    }
#pragma omp target map(to : c [N / 2:N / 2]) map(from : sum_high) depend(in : c [N / 2:N / 2]) nowait
    {
        sum_high = 0;
        for (int i = N / 2; i < N; i++)
            sum_high += c[i];
    }
#pragma omp taskwait
    CHECK_EQ(sum_low, N / 2);
    CHECK_EQ(sum_high, N);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++) {
        tickets();
        halves();
    }
#pragma omp parallel num_threads(2)
    for (int i = 0; i < REPETITIONS; i++) {
        tickets();
        halves();
    }
    return 0;
}
