// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenMP 5.2: a list item of use_device_ptr or use_device_addr, and a pointer that a region captures, keeps its value
// if nothing is mapped at it; the device's addresses of mapped variables of every kind pass through has_device_addr.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 10 };

struct pair {
    int x, *p;
};

static void without_mapping(void)
{
    int *p = malloc(N * sizeof *p), *null = NULL, *host = p, array[N], *inside = NULL, *inside_null = (int *)1;
    void *address = NULL;
#pragma omp target data use_device_ptr(p, null)
    {
        CHECK_PTR_EQ(p, host);
        CHECK_PTR_EQ(null, NULL);
    }
#pragma omp target data use_device_addr(array)
    address = array;
    CHECK_PTR_EQ(address, array);
#pragma omp target map(from : inside, inside_null) nowait
    {
        inside = p;
        inside_null = null;
    }
#pragma omp taskwait
    CHECK_PTR_EQ(inside, host);
    CHECK_PTR_EQ(inside_null, NULL);
    /* A section in the middle: its base pointer's value stays as far from it. */
    int *middle = p + 3;
#pragma omp target data map(tofrom : middle[0 : 4]) use_device_ptr(middle)
    CHECK(middle != host + 3);
    CHECK_PTR_EQ(middle, host + 3);
    free(p);
}

static void with_device_addresses(int device)
{
    int scalar = 4, array[N], *p = malloc(N * sizeof *p), *host = p;
    struct pair pair = {5, NULL};
    void *device_scalar, *device_pair, *section = &array[2];
    for (int i = 0; i < N; i++)
        array[i] = p[i] = i;
#pragma omp target enter data map(to : scalar, pair, array[2 : 5], p[0 : N])
#pragma omp target data use_device_addr(scalar, pair, array[2 : 5]) use_device_ptr(p)
    {
        device_scalar = &scalar;
        device_pair = &pair;
        CHECK_PTR_EQ(&array[2], omp_get_mapped_ptr(section, device));
        CHECK_PTR_EQ(p, omp_get_mapped_ptr(host, device));
#pragma omp target has_device_addr(scalar, pair, array[2 : 5]) is_device_ptr(p) nowait
        {
            scalar += 10;
            pair.x += 20;
            array[3] += 30;
            p[1] += 40;
        }
#pragma omp taskwait
    }
    CHECK_PTR_EQ(device_scalar, omp_get_mapped_ptr(&scalar, device));
    CHECK_PTR_EQ(device_pair, omp_get_mapped_ptr(&pair, device));
#pragma omp target exit data map(from : scalar, pair, array[2 : 5], p[0 : N])
    CHECK_EQ(scalar, 14);
    CHECK_EQ(pair.x, 25);
    CHECK_EQ(array[3], 33);
    CHECK_EQ(p[1], 41);
    free(p);
}

int main(void)
{
    watchdog(40);
    without_mapping();
    with_device_addresses(omp_get_default_device());
    return 0;
}
