/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions without nowait, whose threads look for their ends themselves where they can: short and long ones by turns,
 * beside deferred ones, with copies of every size class, from one thread and from eight at once. */
#include "e2e.h"

enum { N = 24, LARGE = 160 << 10, KINDS = 4 };

/* Turns of a loop in a kernel: over at once, while its thread looks, about when it stops looking, long after. */
static const int turns_of[KINDS] = {0, 2000, 20000, 100000};

static void add(int *data, int size, int amount, int turns)
{
#pragma omp target map(tofrom : data [0:size]) firstprivate(amount, turns, size)
    {
        for (volatile int i = 0; i < turns; i++)
            ;
        for (int i = 0; i < size; i++)
            data[i] += amount;
    }
}

static void add_later(int *data, int amount, int turns)
{
#pragma omp target map(tofrom : data [0:N]) firstprivate(amount, turns) nowait
    {
        for (volatile int i = 0; i < turns; i++)
            ;
        for (int i = 0; i < N; i++)
            data[i] += amount;
    }
}

static void check_all(const int *data, int size, int expected)
{
    for (int i = 0; i < size; i++)
        CHECK_EQ(data[i], expected);
}

static void by_turns(int seed)
{
    int data[N] = {0}, expected = 0;
    for (int r = 0; r < 8; r++) {
        add(data, N, r, turns_of[(seed + r) % KINDS]);
        check_all(data, N, expected += r);
    }
}

static void beside_deferred_ones(int seed)
{
    int data[N] = {0}, later[KINDS][N] = {{0}};
    for (int r = 0; r < KINDS; r++) {
        add_later(later[r], r, turns_of[(seed + r) % KINDS]);
        add(data, N, 1, turns_of[(seed + r + 1) % KINDS]);
        check_all(data, N, r + 1);
    }
#pragma omp taskwait
    for (int r = 0; r < KINDS; r++)
        check_all(later[r], N, r);
}

/* Sizes in integers below and above what a thread copies itself, with the copies of a deferred region and without. */
static void with_copies(void)
{
    static const int sizes[] = {1, 16 << 10, 40 << 10, 100 << 10, 120 << 10, LARGE};
    int *data = calloc(LARGE, sizeof *data);
    for (int i = 0; i < 6; i++)
        add(data, sizes[i], 1, 0);
    check_all(data, 1, 6);
    for (int i = 1; i < 6; i++)
        check_all(data + sizes[i - 1], sizes[i] - sizes[i - 1], 6 - i);
    free(data);
}

static void every_shape(int i)
{
    by_turns(i);
    beside_deferred_ones(i);
    if (i % 16 == 0)
        with_copies();
}

int main(int argc, char **argv)
{
    start(argc, argv);
    for (int i = 0; i < repetitions / 2; i++)
        every_shape(i);
#pragma omp parallel num_threads(8)
    for (int i = 0; i < repetitions / 16; i++)
        every_shape(i + omp_get_thread_num());
    return 0;
}
