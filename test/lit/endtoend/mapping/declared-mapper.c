// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A declared mapper for {length, pointer}: regions, enter data, update and exit data use it, the pointer has the host's
// value again afterwards, and nothing stays mapped (llvm/llvm-project 60106, ROCm aomp 122).
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

struct vector {
    int length;
    int *data;
};
#pragma omp declare mapper(struct vector v) map(v, v.data [0:v.length])

enum { N = 25 };

static void on_region(void)
{
    int data[N];
    struct vector v = {N, data};
    for (int i = 0; i < N; i++)
        data[i] = i;
#pragma omp target map(tofrom : v) nowait
    for (int i = 0; i < v.length; i++)
        v.data[i] += 1;
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(data[i], i + 1);
    CHECK_PTR_EQ(v.data, data);
    CHECK(!omp_target_is_present(data, omp_get_default_device()));
}

static void array_of_them(void)
{
    int data[2][N];
    struct vector v[2] = {{N, data[0]}, {N / 2, data[1]}};
    for (int i = 0; i < N; i++)
        data[0][i] = data[1][i] = i;
#pragma omp target map(tofrom : v) nowait
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < v[k].length; i++)
            v[k].data[i] += 10 * (k + 1);
#pragma omp taskwait
    for (int i = 0; i < N; i++) {
        CHECK_EQ(data[0][i], i + 10);
        CHECK_EQ(data[1][i], i < N / 2 ? i + 20 : i);
    }
}

static void resident(void)
{
    int data[N];
    struct vector v = {N, data};
    for (int i = 0; i < N; i++)
        data[i] = i;
#pragma omp target enter data map(to : v) nowait
#pragma omp taskwait
#pragma omp target nowait
    for (int i = 0; i < v.length; i++)
        v.data[i] *= 2;
#pragma omp taskwait
    CHECK_EQ(data[N - 1], N - 1);
#pragma omp target update from(v) nowait
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(data[i], 2 * i);
    CHECK_PTR_EQ(v.data, data);
#pragma omp target exit data map(release : v) nowait
#pragma omp taskwait
    CHECK(!omp_target_is_present(data, omp_get_default_device()));
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < 20; i++) {
        on_region();
        array_of_them();
        resident();
    }
    return 0;
}
