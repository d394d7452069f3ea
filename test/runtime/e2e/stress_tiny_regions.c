/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions that are over before their construct is: many in flight, from taskloops, from tasks, beside detached tasks,
 * and with data whose host addresses are used again and again by several threads. */
#include "e2e.h"

enum { BATCH = 64 };

static void many_in_flight(void)
{
    int cells[BATCH];
    for (int i = 0; i < BATCH; i++) {
        cells[i] = i;
        int *cell = &cells[i];
#pragma omp target map(tofrom : cell [0:1]) nowait
        cell[0]++;
    }
#pragma omp taskwait
    for (int i = 0; i < BATCH; i++)
        CHECK_EQ(cells[i], i + 1);
}

static void from_a_taskloop(void)
{
    int cells[BATCH] = {0};
    void *tasks[BATCH];
#pragma omp taskloop grainsize(4) shared(cells, tasks)
    for (int i = 0; i < BATCH; i++) {
        int *cell = &cells[i];
        tasks[i] = THIS_TASK();
#pragma omp target map(tofrom : cell [0:1]) firstprivate(i) nowait
        cell[0] += i;
    }
#pragma omp taskwait
    for (int i = 0; i < BATCH; i++) {
        AFTER_REGIONS_OF(tasks[i]);
        CHECK_EQ(cells[i], i);
    }
}

static void beside_a_detached_task(void)
{
    int x = 0, y = 0;
    omp_event_handle_t event = (omp_event_handle_t)0; /* clang warns, although the detach clause sets it */
#pragma omp task detach(event) shared(y)
    y = 1;
#pragma omp target map(tofrom : x) nowait
    x = 1;
#pragma omp task shared(x)
    {
        int inner = 0;
#pragma omp target map(tofrom : inner) nowait
        inner = 2;
#pragma omp taskwait
        CHECK_EQ(inner, 2);
    }
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK_EQ(x + y, 2);
}

static void recycled_addresses(unsigned *seed)
{
    enum { BLOCKS = 6 };
    int *blocks[BLOCKS], n[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) {
        *seed = *seed * 1103515245 + 12345;
        int count = n[b] = 1 + (int)(*seed >> 16) % 200;
        int *block = blocks[b] = malloc((size_t)count * sizeof *block);
        for (int i = 0; i < count; i++)
            block[i] = i;
#pragma omp target map(tofrom : block [0:count]) firstprivate(count) nowait
        for (int i = 0; i < count; i++)
            block[i] *= 2;
    }
#pragma omp taskwait
    for (int b = 0; b < BLOCKS; b++) {
        for (int i = 0; i < n[b]; i++)
            CHECK_EQ(blocks[b][i], 2 * i);
        free(blocks[b]);
    }
}

static void every_shape(unsigned *seed)
{
    many_in_flight();
    from_a_taskloop();
    beside_a_detached_task();
    recycled_addresses(seed);
}

int main(int argc, char **argv)
{
    unsigned seed = 1;
    start(argc, argv);
    for (int i = 0; i < repetitions; i++)
        every_shape(&seed);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < repetitions; i++)
        every_shape(&seed);
#pragma omp parallel num_threads(8)
    {
        unsigned mine = 1 + (unsigned)omp_get_thread_num();
        for (int i = 0; i < repetitions / 8; i++)
            recycled_addresses(&mine);
    }
    /* What is still in flight when main returns must be finished before anything is torn down. */
    static int last[BATCH];
    for (int i = 0; i < BATCH; i++) {
        int *cell = &last[i];
#pragma omp target map(tofrom : cell [0:1]) nowait
        cell[0]++;
    }
    return 0;
}
