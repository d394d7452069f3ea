// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions with in_reduction that the threads of a team run at the same time, on one device or on each its own: every
// one updates the copy of the thread that runs its task, and all updates count. The kernels read, let others go ahead,
// and write. Scalars; an array, which clang's map entries bring whole; deferred and not; the variable mapped around
// them; and host tasks of the same reduction beside them. (Clang gives the regions the original variable. Where a
// region has two items, clang 19 generates no code for its task.)
//
// RUN: %cc-both
// RUN: env CUDAEMU_DEVICES=4 sh -ec "%run-both"
#include "check.h"

#include <stdbool.h>

enum { REGIONS = 24, REPETITIONS = 5, ITEMS = 40, SUM = REGIONS * (REGIONS + 1) / 2 };

static int n_devices;

static void check(long sum, int most, const int *a)
{
    CHECK_EQ(sum, 1000 + 2 * SUM);
    CHECK_EQ(most, 3 * REGIONS);
    for (int i = 0; i < ITEMS; i++)
        CHECK_EQ(a[i], i + SUM);
}

/* All items in one taskgroup, made by one thread and run by any. */
static void pass(bool deferred)
{
    long sum = 1000;
    int most = 0, a[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        a[i] = i;
#pragma omp taskgroup task_reduction(+ : sum, a) task_reduction(max : most)
    for (int i = 1; i <= REGIONS; i++) {
        if (deferred) {
#pragma omp target in_reduction(+ : sum) device(i % n_devices) firstprivate(i) nowait
            {
                long seen = sum;
                sleep_us(100);
                sum = seen + i;
            }
#pragma omp target in_reduction(max : most) device(i % n_devices) firstprivate(i) nowait
            most = 3 * i > most ? 3 * i : most;
#pragma omp target in_reduction(+ : a) device(i % n_devices) firstprivate(i) nowait
            for (int k = 0; k < ITEMS; k++) {
                int seen = a[k];
                if (k == 7)
                    sleep_us(50);
                a[k] = seen + i;
            }
        } else {
#pragma omp task in_reduction(+ : a) firstprivate(i)
            for (int k = 0; k < ITEMS; k++)
                a[k] += i;
#pragma omp task in_reduction(max : most) firstprivate(i)
            most = 3 * i > most ? 3 * i : most;
#pragma omp task firstprivate(i) shared(sum)
#pragma omp target in_reduction(+ : sum) device(i % n_devices) firstprivate(i)
            {
                long seen = sum;
                sleep_us(100);
                sum = seen + i;
            }
        }
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
    }
    check(sum, most, a);
}

/* Each thread has a copy of its own from the start. */
static void pass_of_parallel(void)
{
    long sum = 0;
#pragma omp parallel num_threads(4) reduction(task, + : sum)
    for (int i = 1; i <= 4; i++) {
#pragma omp target in_reduction(+ : sum) device(i % n_devices) firstprivate(i) nowait
        sum += i;
    }
    CHECK_EQ(sum, 4 * 10);
}

/* The original is on the device meanwhile, and keeps its value there. */
static void pass_with_original_mapped(void)
{
    long sum = 5, there = 0;
#pragma omp target enter data map(to : sum)
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 1; i <= REGIONS; i++) {
#pragma omp target in_reduction(+ : sum) firstprivate(i) nowait
        sum += i;
    }
    CHECK_EQ(sum, 5 + SUM);
#pragma omp target map(from : there) map(tofrom : sum)
    there = sum;
    /* In a team of one the original is the copy. */
    if (omp_get_num_threads() > 1)
        CHECK_EQ(there, 5);
#pragma omp target exit data map(delete : sum)
}

int main(void)
{
    watchdog(100);
    n_devices = omp_get_num_devices();
    CHECK_EQ(n_devices, 4);
    for (int rep = 0; rep < REPETITIONS; rep++) {
        pass(true);
        pass(false);
#pragma omp parallel num_threads(4)
#pragma omp single
        {
            pass(true);
            pass(false);
            pass_with_original_mapped();
        }
        pass_of_parallel();
    }
    return 0;
}
