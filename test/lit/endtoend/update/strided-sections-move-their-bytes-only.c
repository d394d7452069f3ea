// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// target update with sections that do not lie together: exactly the named elements move, in both directions, for
// constant and run-time bounds, with and without nowait, and with a dependence that keeps the update waiting while its
// frame is gone (llvm/llvm-project issue 61452, PRs 144635, 156889, 157443, 175505, 176708).
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { ROWS = 9, COLUMNS = 11, PLANES = 4 };

static double a[ROWS][COLUMNS];
static double b[PLANES][5][6];
static int line[60];

struct record {
    int length;
    double data[20];
    double *p;
};

static void reset(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] = 100 * i + j;
}

/* Device copy: 1000 more than the host's. */
static void enter(void)
{
    reset();
#pragma omp target enter data map(to : a)
#pragma omp target map(alloc : a)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] += 1000;
}

static void leave_after(int r0, int rn, int rs, int c0, int cn)
{
#pragma omp target exit data map(release : a)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int moved = i >= r0 && (i - r0) % rs == 0 && (i - r0) / rs < rn && j >= c0 && j - c0 < cn;
            CHECK_EQ(a[i][j], 100 * i + j + (moved ? 1000 : 0));
        }
}

static void constant_bounds(void)
{
    enter();
#pragma omp target update from(a [0:4:2] [0:8])
    leave_after(0, 4, 2, 0, 8);
#if __clang_major__ >= 20
    /* clang 19 drops the stride where all the dimensions inside are whole. */
    enter();
#pragma omp target update from(a [0:3:3] [0:COLUMNS]) nowait
#pragma omp taskwait
    leave_after(0, 3, 3, 0, COLUMNS);
#endif
    enter();
#pragma omp target update from(a [2:3] [4:5])
    leave_after(2, 3, 1, 4, 5);
}

static void run_time_bounds(int n, int m)
{
#if __clang_major__ >= 20
    /* clang 19 drops strides outside a section with a lower bound of 0 and a length that it does not know. */
    enter();
#pragma omp target update from(a [0:n:2] [0:m])
    leave_after(0, n, 2, 0, m);
    enter();
#pragma omp target update from(a [0:1:2] [0:m])
    leave_after(0, 1, 1, 0, m);
#endif
    enter();
#pragma omp target update from(a [0:n:2] [3:m]) nowait
#pragma omp taskwait
    leave_after(0, n, 2, 3, m);
    enter();
#pragma omp target update from(a [1:n] [2:m])
    leave_after(1, n, 1, 2, m);
}

static void to_the_device(int n)
{
    int wrong = 0;
    reset();
#pragma omp target enter data map(to : a)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] = -1;
#pragma omp target update to(a [0:n:3] [1:4]) nowait
#pragma omp taskwait
#pragma omp target map(alloc : a) map(tofrom : wrong)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            wrong += a[i][j] != (i % 3 == 0 && i / 3 < n && j >= 1 && j < 5 ? -1 : 100 * i + j);
    CHECK_EQ(wrong, 0);
#pragma omp target exit data map(release : a)
}

static void three_dimensions(void)
{
    for (int i = 0; i < PLANES * 30; i++)
        b[0][0][i] = i;
#pragma omp target data map(to : b)
    {
#pragma omp target map(alloc : b)
        for (int i = 0; i < PLANES * 30; i++)
            b[0][0][i] += 1000;
#pragma omp target update from(b [0:2:2] [0:3:2] [1:3])
    }
    for (int i = 0; i < PLANES; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 6; k++)
                CHECK_EQ(b[i][j][k],
                         30 * i + 6 * j + k + (i % 2 == 0 && j % 2 == 0 && k >= 1 && k < 4 ? 1000 : 0));
}

/* The function has returned, and its frame is other functions', when the update runs. */
static __attribute__((noinline)) void start_update(int n, int m)
{
#pragma omp target depend(out : a) nowait
    sleep_us(20000);
#pragma omp target update from(a [0:n:2] [3:m]) depend(inout : a) nowait
}

static __attribute__((noinline)) void overwrite_stack(void)
{
    volatile char bytes[4096];
    for (int i = 0; i < 4096; i++)
        bytes[i] = 0x55;
}

static void behind_a_dependence(void)
{
    enter();
    start_update(4, 5);
    overwrite_stack();
#pragma omp taskwait
    leave_after(0, 4, 2, 3, 5);
}

#if __clang_major__ >= 20
/* clang 19 drops the stride of one-dimensional sections too. */
static void one_dimension(int n)
{
    for (int i = 0; i < 60; i++)
        line[i] = i;
    int *p = line;
#pragma omp target data map(to : line)
    {
#pragma omp target map(alloc : line)
        for (int i = 0; i < 60; i++)
            line[i] += 1000;
#pragma omp target update from(line [0:5:2])
#pragma omp target update from(p [11:n:3]) nowait
#pragma omp target update from(p [31:4:5])
#pragma omp taskwait
    }
    for (int i = 0; i < 60; i++)
        CHECK_EQ(line[i], i + ((i < 10 && i % 2 == 0) || (i >= 11 && i < 11 + 3 * n && (i - 11) % 3 == 0) ||
                                       (i >= 31 && i < 50 && (i - 31) % 5 == 0)
                                   ? 1000
                                   : 0));
}

static void members(void)
{
    double values[20];
    struct record r = {.length = 20, .p = values};
    struct record *q = &r;
    for (int i = 0; i < 20; i++)
        r.data[i] = values[i] = i;
#pragma omp target data map(to : r) map(to : r.p [0:20])
    {
#pragma omp target map(alloc : r)
        for (int i = 0; i < 20; i++) {
            r.data[i] += 1000;
            r.p[i] += 2000;
        }
#pragma omp target update from(r.data [0:r.length / 2:2])
#pragma omp target update from(q->data [1:3:6])
#pragma omp target update from(q->p [2:q->length / 5:3])
    }
    CHECK_PTR_EQ(r.p, values);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(r.data[i], i + (i % 2 == 0 || i == 1 || i == 7 || i == 13 ? 1000 : 0));
        CHECK_EQ(values[i], i + (i == 2 || i == 5 || i == 8 || i == 11 ? 2000 : 0));
    }
}
#endif

int main(void)
{
    watchdog(40);
    for (int i = 0; i < 10; i++) {
        constant_bounds();
        run_time_bounds(4, 7);
        run_time_bounds(3, 1);
        to_the_device(3);
        three_dimensions();
        behind_a_dependence();
#if __clang_major__ >= 20
        one_dimension(4);
        one_dimension(2);
        members();
#endif
    }
    return 0;
}
