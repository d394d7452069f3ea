// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a program requires unified shared memory, a region uses the host's own variables: those that are declared
// target (with `to` and with `link`) through pointers that the image holds, the rest by their addresses. Nothing is
// mapped, and a pointer that the program reads from a variable is as good on the device.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

#pragma omp requires unified_shared_memory

#pragma omp begin declare target
int counter = 1;
int table[4] = {1, 2, 3, 4};
int *values;
static double hidden = 0.5;
#pragma omp end declare target

int linked[3] = {7, 8, 9};
#pragma omp declare target link(linked)

enum { N = 64 };

int main(void)
{
    int local = 5, sum = 0;
    watchdog(60);
    values = malloc(N * sizeof *values);
    for (int i = 0; i < N; i++)
        values[i] = i;

#pragma omp target map(tofrom : sum)
    {
        for (int i = 0; i < N; i++)
            sum += values[i];
        counter += 10;
        table[3] = table[0] + linked[1];
        linked[0] = 70;
        hidden *= 4;
    }
    CHECK_EQ(sum, N * (N - 1) / 2);
    CHECK_EQ(counter, 11);
    CHECK_EQ(table[3], 9);
    CHECK_EQ(linked[0], 70);
    CHECK(hidden == 2);

    /* The device sees what the host writes while nothing is mapped. */
    counter = 100;
    values[0] = 1000;
#pragma omp target map(tofrom : local) nowait
    local += counter + values[0];
#pragma omp taskwait
    CHECK_EQ(local, 1105);
    free(values);
    return 0;
}
