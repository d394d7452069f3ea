/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every construct that waits for deferred regions, over and over: taskwait, taskgroup, barrier, the end of a parallel
 * region; from one thread, from a team, from eight threads at once, and from nested teams. */
#include "e2e.h"

enum { N = 24, REGIONS = 6 };

static void add(int *data, int amount)
{
#pragma omp target map(tofrom : data [0:N]) firstprivate(amount) nowait
    for (int i = 0; i < N; i++)
        data[i] += amount;
}

static void check_all(const int *data, int expected)
{
    for (int i = 0; i < N; i++)
        CHECK_EQ(data[i], expected);
}

static void wait_with_taskwait(void)
{
    int data[REGIONS][N] = {{0}};
    for (int r = 0; r < REGIONS; r++)
        add(data[r], r + 1);
#pragma omp taskwait
    for (int r = 0; r < REGIONS; r++)
        check_all(data[r], r + 1);
}

/* Regions on the same data are ordered by their transfers, without a dependence. */
static void wait_for_increments(void)
{
    int data[N] = {0};
    for (int r = 0; r < REGIONS; r++)
        add(data, 1);
#pragma omp taskwait
    check_all(data, REGIONS);
}

static void wait_with_taskgroup(void)
{
    int inside[N] = {0}, outside[N] = {0};
    void *child = NULL;
    add(outside, 5);
#pragma omp taskgroup
    {
        add(inside, 3);
#pragma omp task shared(inside, child)
        {
            child = THIS_TASK();
            add(inside, 4);
        }
    }
    AFTER_REGIONS_OF(THIS_TASK());
    AFTER_REGIONS_OF(child);
    check_all(inside, 7);
#pragma omp taskwait
    check_all(outside, 5);
}

static void keep_data_on_the_device(void)
{
    int data[N] = {0};
#pragma omp target enter data map(to : data) nowait
#pragma omp taskwait
    for (int r = 0; r < REGIONS; r++) {
#pragma omp target map(tofrom : data) nowait
        for (int i = 0; i < N; i++)
            __atomic_fetch_add(&data[i], 2, __ATOMIC_RELAXED);
    }
#pragma omp taskwait
    check_all(data, 0);
#pragma omp target update from(data) nowait
#pragma omp taskwait
    check_all(data, 2 * REGIONS);
#pragma omp target exit data map(delete : data) nowait
#pragma omp taskwait
}

static void wait_with_barrier(void)
{
    static int data[4][N];
    void *team[4];
    memset(data, 0, sizeof data);
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num();
        team[me] = THIS_TASK();
        add(data[me], 1);
        add(data[(me + 1) % 4], 0);
#pragma omp barrier
        for (int t = 0; t < 4; t++)
            AFTER_REGIONS_OF(team[t]);
        check_all(data[(me + 1) % 4], 1);
#pragma omp barrier
        add(data[me], 1);
    }
    for (int t = 0; t < 4; t++) {
        AFTER_REGIONS_OF(team[t]);
        check_all(data[t], 2);
    }
}

static void every_wait(void)
{
    wait_with_taskwait();
    wait_for_increments();
    wait_with_taskgroup();
    keep_data_on_the_device();
}

int main(int argc, char **argv)
{
    start(argc, argv);
    for (int i = 0; i < repetitions; i++)
        every_wait();
    for (int i = 0; i < repetitions; i++)
        wait_with_barrier();
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < repetitions; i++)
        every_wait();
        /* Each of the threads does its part of the repetitions. */
#pragma omp parallel num_threads(8)
    for (int i = 0; i < repetitions / 8; i++)
        every_wait();
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < repetitions / 4; i++) {
#pragma omp parallel num_threads(2)
        every_wait();
    }
    return 0;
}
