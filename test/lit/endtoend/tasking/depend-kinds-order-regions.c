// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The other kinds of dependence: mutexinoutset regions exclude each other, inoutset regions do not, omp_all_memory
// orders after everything, and a depobj stands for the dependence that it was made from.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { REPETITIONS = 100, REGIONS = 4 };

static void exclusive(void)
{
    int x = 0, words[2] = {0, 0}, *inside = &words[0], *overlaps = &words[1];
#pragma omp target enter data map(to : x) depend(out : x) nowait
    for (int r = 0; r < REGIONS; r++) {
#pragma omp target map(alloc : x) is_device_ptr(inside, overlaps) depend(mutexinoutset : x) nowait
        {
            if (count_up(inside) != 0)
                count_up(overlaps);
            x++;
            __atomic_fetch_sub(inside, 1, __ATOMIC_ACQ_REL);
        }
    }
#pragma omp target exit data map(from : x) depend(in : x) nowait
#pragma omp taskwait
    CHECK_EQ(words[1], 0);
    CHECK_EQ(x, REGIONS);
}

static void together(void)
{
    int x = 1, y[REGIONS] = {0};
#pragma omp target map(tofrom : x) depend(out : x) nowait
    x = 2;
    for (int r = 0; r < REGIONS; r++) {
        int *mine = &y[r];
#pragma omp target map(to : x) map(from : mine [0:1]) depend(inoutset : x) firstprivate(r) nowait
        mine[0] = x + r;
    }
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x = 3;
#pragma omp taskwait
    for (int r = 0; r < REGIONS; r++)
        CHECK_EQ(y[r], 2 + r);
    CHECK_EQ(x, 3);
}

static void all_memory(void)
{
    int x = 0, y = 0, sum = 0;
#pragma omp target map(tofrom : x) depend(out : x) nowait
    x = 5;
#pragma omp target map(tofrom : y) depend(out : y) nowait
    y = 6;
#pragma omp target map(to : x, y) map(from : sum) depend(out : omp_all_memory) nowait
    sum = x + y;
#pragma omp taskwait
    CHECK_EQ(sum, 11);
}

static void depend_object(void)
{
    int x = 0, y = 0;
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
    for (int r = 0; r < REGIONS; r++) {
#pragma omp target map(tofrom : x) depend(depobj : object) nowait
        x = 2 * x + 1;
    }
#pragma omp target map(to : x) map(from : y) depend(in : x) nowait
    y = x;
#pragma omp taskwait
#pragma omp depobj(object) destroy
    CHECK_EQ(y, (1 << REGIONS) - 1);
}

static void pass(void)
{
    exclusive();
    together();
    all_memory();
    depend_object();
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass();
#pragma omp parallel num_threads(3)
    for (int i = 0; i < REPETITIONS; i++)
        pass();
    return 0;
}
