/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two races that ThreadSanitizer must find, or the other programs here show nothing: the host changes data that a
 * region copies in and out; and a host task that depends on a region on another address uses this one's data. Each is
 * tried often, although one time is enough.
 */
#include "e2e.h"

static void host_beside_region(void)
{
    int x = 0;
#pragma omp target map(tofrom : x) nowait
    x++;
    x = 5;
#pragma omp taskwait
}

static void host_task_behind_another_region(void)
{
    int x = 0, other = 0;
#pragma omp target map(tofrom : x) depend(out : x) nowait
    x++;
#pragma omp target map(tofrom : other) depend(out : other) nowait
    other++;
#pragma omp task depend(in : other) shared(x)
    {
        AFTER_REGIONS_ON(&other);
        x = 5;
    }
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    start(argc, argv);
    for (int i = 0; i < repetitions; i++) {
        if (argc > 2)
            host_task_behind_another_region();
        else
            host_beside_region();
    }
    return 0;
}
