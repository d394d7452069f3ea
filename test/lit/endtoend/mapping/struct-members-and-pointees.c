// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures whose members are mapped one by one, and structures with pointers whose targets are mapped: the pointers
// work on the device and keep their host values on the host, with enter data, with map on the region, and with nowait.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 12 };

struct vector {
    int n;
    double *data;
    int *index;
    int tail;
};

struct pair {
    int before;
    int a[3];
    int between;
    int b[3];
    int after;
};

static void pointees_on_the_region(void)
{
    double data[N];
    int index[N];
    struct vector v = {N, data, index, 5};
    for (int i = 0; i < N; i++)
        data[i] = i, index[i] = N - 1 - i;
#pragma omp target map(tofrom : v.n, v.data [0:N], v.tail) map(to : v.index [0:N]) nowait
    {
        for (int i = 0; i < v.n; i++)
            v.data[i] = 10 * v.index[i];
        v.tail++;
    }
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(data[i], 10 * (N - 1 - i));
    CHECK_EQ(v.tail, 6);
    CHECK_PTR_EQ(v.data, data);
    CHECK_PTR_EQ(v.index, index);
}

static void pointees_resident(void)
{
    double data[N];
    int index[N];
    struct vector v = {N, data, index, 0};
    for (int i = 0; i < N; i++)
        data[i] = i, index[i] = i;
#pragma omp target enter data map(to : v) map(to : v.data [0:N], v.index [0:N]) nowait
#pragma omp taskwait
    for (int rep = 0; rep < 3; rep++) {
#pragma omp target map(alloc : v) nowait
        for (int i = 0; i < v.n; i++)
            v.data[v.index[i]] += 1;
#pragma omp taskwait
    }
#pragma omp target update from(v.data [0:N]) nowait
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(data[i], i + 3);
    CHECK_PTR_EQ(v.data, data);
#pragma omp target exit data map(release : v.data [0:N], v.index [0:N]) map(from : v) nowait
#pragma omp taskwait
    CHECK_PTR_EQ(v.data, data);
    CHECK_PTR_EQ(v.index, index);
    CHECK(!omp_target_is_present(&v, omp_get_default_device()));
    CHECK(!omp_target_is_present(data, omp_get_default_device()));
    CHECK(!omp_target_is_present(index, omp_get_default_device()));
}

static void members(void)
{
    struct pair p = {1, {2, 3, 4}, 5, {6, 7, 8}, 9};
#pragma omp target map(tofrom : p.a, p.b) nowait
    for (int i = 0; i < 3; i++) {
        p.a[i] += 10;
        p.b[i] += 20;
    }
#pragma omp taskwait
    CHECK_EQ(p.a[0] + p.a[1] + p.a[2], 9 + 30);
    CHECK_EQ(p.b[0] + p.b[1] + p.b[2], 21 + 60);
    CHECK_EQ(p.before, 1);
    CHECK_EQ(p.after, 9);
#pragma omp target map(tofrom : p) nowait
    p.between = p.a[0] + p.b[0];
#pragma omp taskwait
    CHECK_EQ(p.between, 12 + 26);
}

static void array_of_structs(void)
{
    double data[2][N];
    struct vector v[2] = {{N, data[0], NULL, 0}, {N, data[1], NULL, 0}};
    for (int i = 0; i < N; i++)
        data[0][i] = data[1][i] = i;
#pragma omp target enter data map(to : v)
    for (int k = 0; k < 2; k++) {
        struct vector *one = &v[k];
#pragma omp target enter data map(to : one->data [0:N])
    }
#pragma omp target map(alloc : v) nowait
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < v[k].n; i++)
            v[k].data[i] *= k + 2;
#pragma omp taskwait
    for (int k = 0; k < 2; k++) {
        struct vector *one = &v[k];
#pragma omp target exit data map(from : one->data [0:N])
        for (int i = 0; i < N; i++)
            CHECK_EQ(data[k][i], i * (k + 2));
    }
#pragma omp target exit data map(delete : v)
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < 50; i++) {
        pointees_on_the_region();
        pointees_resident();
        members();
        array_of_structs();
    }
    return 0;
}
