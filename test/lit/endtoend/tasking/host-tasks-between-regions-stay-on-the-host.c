// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of regions that device threads hand on to each other, and host tasks that join in: a host task runs on a
// thread of the program, in its place, whatever released it. Phases with and without host tasks alternate, since the
// runtime goes another way in each.
//
// RUN: %cc-both
// RUN: %run-both
#include <pthread.h>

#include "check.h"

enum { PHASES = 40, CHAINS = 4, STEPS = 6 };

static pthread_t program;

static void region(int *x, int step)
{
#pragma omp target map(tofrom : x[0 : 1]) depend(inout : x[0]) firstprivate(step) nowait
    {
        if (step % 3 == 0)
            sleep_us(50);
        x[0] = x[0] * 3 + step;
    }
}

static void host_task(int *x, int step)
{
#pragma omp task depend(inout : x[0]) firstprivate(x, step)
    {
        CHECK(pthread_equal(pthread_self(), program));
        x[0] = x[0] * 3 + step;
    }
}

static void phase(int number)
{
    int x[CHAINS], expected[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        x[c] = expected[c] = number + c;
    for (int step = 0; step < STEPS; step++)
        for (int c = 0; c < CHAINS; c++) {
            expected[c] = expected[c] * 3 + step;
            if (number % 3 == 1 && step % 2 == 1)
                host_task(&x[c], step);
            else
                region(&x[c], step);
        }
    if (number % 2) {
#pragma omp taskwait
    } else {
#pragma omp taskgroup
        region(&x[0], STEPS);
        expected[0] = expected[0] * 3 + STEPS;
#pragma omp taskwait
    }
    for (int c = 0; c < CHAINS; c++)
        CHECK_EQ(x[c], expected[c]);
}

int main(void)
{
    watchdog(60);
    program = pthread_self();
    for (int number = 0; number < PHASES; number++)
        phase(number);
    return 0;
}
