// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions in places where libomp runs tasks at once: inside a final task and inside a task with if(0). Regions with a
// false if clause run on the host. Results must be right and dependences kept.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { REPETITIONS = 200 };

static void in_final_task(void)
{
    int x = 0;
#pragma omp task final(1) shared(x)
    {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x = 1;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x = 2 * x + 1;
#pragma omp taskwait
        CHECK_EQ(x, 3);
    }
#pragma omp taskwait
    CHECK_EQ(x, 3);
}

static void in_undeferred_task(void)
{
    int x = 0;
#pragma omp task if (0) shared(x)
    {
#pragma omp target map(tofrom : x) nowait
        x = 5;
#pragma omp taskwait
        CHECK_EQ(x, 5);
    }
}

static void on_the_host(int use_device)
{
    int x = 0, on_host = -1;
#pragma omp target map(tofrom : x) map(from : on_host) if (target : use_device) depend(inout : x) nowait
    {
        x += 1;
        on_host = omp_is_initial_device();
    }
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x *= 10;
#pragma omp target map(tofrom : x) if (0) depend(inout : x) nowait
    x += 2;
#pragma omp taskwait
    CHECK_EQ(x, 12);
    CHECK_EQ(on_host, !use_device);
}

static void pass(int i)
{
    in_final_task();
    in_undeferred_task();
    on_the_host(i % 2);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
#pragma omp parallel num_threads(3)
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
    return 0;
}
