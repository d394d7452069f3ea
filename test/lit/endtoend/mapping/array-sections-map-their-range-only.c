// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections with lower bounds, of pointers and of two-dimensional arrays, and sections inside a section that is present:
// the bytes around them keep their values on both sides.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 100, ROWS = 8, COLUMNS = 9 };

static void pointer_section(int low, int length)
{
    int *p = malloc(N * sizeof(int));
    for (int i = 0; i < N; i++)
        p[i] = i;
#pragma omp target map(tofrom : p [low:length]) firstprivate(low, length) nowait
    for (int i = low; i < low + length; i++)
        p[i] += 1000;
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(p[i], i >= low && i < low + length ? i + 1000 : i);
    CHECK(!omp_target_is_present(p + low, omp_get_default_device()));
    free(p);
}

static void rows(void)
{
    int m[ROWS][COLUMNS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            m[r][c] = 0;
#pragma omp target map(tofrom : m [2:3]) nowait
    for (int r = 2; r < 5; r++)
        for (int c = 0; c < COLUMNS; c++)
            m[r][c] = r * 100 + c;
#pragma omp target map(tofrom : m[6] [3:4]) nowait
    for (int c = 3; c < 7; c++)
        m[6][c] = c;
#pragma omp taskwait
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            CHECK_EQ(m[r][c], r >= 2 && r < 5 ? r * 100 + c : r == 6 && c >= 3 && c < 7 ? c : 0);
}

static void section_of_section(void)
{
    int a[N];
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target enter data map(to : a [10:50]) nowait
#pragma omp taskwait
#pragma omp target map(to : a [20:10]) nowait
    for (int i = 20; i < 30; i++)
        a[i] = -i;
#pragma omp taskwait
#pragma omp target update from(a [25:3]) nowait
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(a[i], i >= 25 && i < 28 ? -i : i);
#pragma omp target exit data map(from : a [10:50]) nowait
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(a[i], i >= 20 && i < 30 ? -i : i);
}

int main(void)
{
    watchdog(40);
    pointer_section(0, N);
    pointer_section(1, 1);
    pointer_section(17, 31);
    pointer_section(N - 1, 1);
    rows();
    section_of_section();
    return 0;
}
