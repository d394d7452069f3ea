// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serial code with a region and many host tasks that have host tasks of their own: memory does not grow with them. And
// tasks that are over before a region of a child's are not touched by its end.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { TASKS = 100000, REGIONS = 200, MOST_KIB = 24 * 1024 };

static long resident_kib(void)
{
    long size, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK_EQ(fscanf(file, "%ld %ld", &size, &resident), 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static int x[REGIONS];

int main(void)
{
    int n = 0;
    watchdog(60);
#pragma omp taskgroup
    for (int i = 0; i < REGIONS; i++) {
#pragma omp task
        {
#pragma omp task
            {
#pragma omp target map(tofrom : x[i]) nowait
                x[i]++;
            }
        }
    }
    for (int i = 0; i < REGIONS; i++)
        CHECK_EQ(x[i], 1);
    long before = resident_kib();
    for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(n)
        {
#pragma omp task shared(n)
            n++;
        }
    }
#pragma omp taskwait
    CHECK_EQ(n, TASKS);
    CHECK_LE(resident_kib() - before, MOST_KIB);
    return 0;
}
