// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// use_device_ptr, use_device_addr, is_device_ptr and has_device_addr translate addresses; omp_target_alloc, memcpy,
// memcpy_rect, is_present, get_mapped_ptr, associate and disassociate work with them.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 30 };

static void translate(int device)
{
    int a[N], *p = malloc(N * sizeof(int)), scalar = 3;
    for (int i = 0; i < N; i++)
        a[i] = p[i] = i;
#pragma omp target enter data map(to : a, p [0:N], scalar)
    int *host = p;
#pragma omp target data use_device_ptr(p)
    {
        CHECK(p != host);
        CHECK_PTR_EQ(p, omp_get_mapped_ptr(host, device));
#pragma omp target is_device_ptr(p) nowait
        for (int i = 0; i < N; i++)
            p[i] *= 2;
#pragma omp taskwait
    }
    CHECK_PTR_EQ(p, host);
    int *inner = NULL, *inner_scalar = NULL;
#pragma omp target data use_device_addr(a, scalar)
    {
        inner = a;
        inner_scalar = &scalar;
#pragma omp target has_device_addr(a) nowait
        for (int i = 0; i < N; i++)
            a[i] += 100;
#pragma omp taskwait
    }
    CHECK_PTR_EQ(inner, omp_get_mapped_ptr(a, device));
    CHECK_PTR_EQ(inner_scalar, omp_get_mapped_ptr(&scalar, device));
#pragma omp target exit data map(from : a, p [0:N]) map(release : scalar)
    for (int i = 0; i < N; i++) {
        CHECK_EQ(p[i], 2 * i);
        CHECK_EQ(a[i], i + 100);
    }
    CHECK_PTR_EQ(omp_get_mapped_ptr(a, device), NULL);
    free(p);
}

static void copies(int device, int host)
{
    int source[6][5], target[6][5] = {{0}};
    int *d = omp_target_alloc(sizeof source, device);
    CHECK(d != NULL);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            source[i][j] = 10 * i + j;
    CHECK_EQ(omp_target_memcpy(d, source, sizeof source, 0, 0, device, host), 0);
#pragma omp target is_device_ptr(d) nowait
    for (int i = 0; i < 30; i++)
        d[i] += 1;
#pragma omp taskwait
    size_t volume[2] = {3, 2}, to[2] = {1, 1}, from[2] = {2, 3}, shape[2] = {6, 5};
    CHECK_EQ(omp_target_memcpy_rect(target, d, sizeof(int), 2, volume, to, from, shape, shape, host, device), 0);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++) {
            int inside = i >= 1 && i < 4 && j >= 1 && j < 3;
            CHECK_EQ(target[i][j], inside ? 10 * (i + 1) + (j + 2) + 1 : 0);
        }
    int *e = omp_target_alloc(sizeof source, (device + 1) % omp_get_num_devices());
    CHECK_EQ(omp_target_memcpy(e, d, sizeof source, 0, 0, (device + 1) % omp_get_num_devices(), device), 0);
    CHECK_EQ(omp_target_memcpy(target, e, sizeof(int), 0, 7 * sizeof(int), host, (device + 1) % omp_get_num_devices()),
             0);
    CHECK_EQ(target[0][0], 12 + 1);
    omp_target_free(e, (device + 1) % omp_get_num_devices());
    omp_target_free(d, device);
    omp_target_free(NULL, device);
}

static void associate(int device)
{
    int a[N], other = 0;
    int *d = omp_target_alloc(sizeof a, device);
    CHECK_EQ(omp_target_associate_ptr(a, d, sizeof a, 0, device), 0);
    CHECK(omp_target_is_present(a, device));
    CHECK_PTR_EQ(omp_get_mapped_ptr(&a[4], device), &d[4]);
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target update to(a) device(device) nowait
#pragma omp taskwait
        /* Associated data counts as present for ever: delete does not remove it. */
#pragma omp target map(tofrom : a) device(device) nowait
    for (int i = 0; i < N; i++)
        a[i] *= 3;
#pragma omp taskwait
    CHECK_EQ(a[N - 1], N - 1);
#pragma omp target exit data map(delete : a) device(device)
    CHECK(omp_target_is_present(a, device));
#pragma omp target update from(a) device(device) nowait
#pragma omp taskwait
    CHECK_EQ(a[N - 1], 3 * (N - 1));
    CHECK_EQ(omp_target_disassociate_ptr(a, device), 0);
    CHECK(!omp_target_is_present(a, device));
    CHECK_NE(omp_target_disassociate_ptr(&other, device), 0);
    omp_target_free(d, device);
}

int main(void)
{
    watchdog(40);
    int host = omp_get_initial_device(), device = omp_get_default_device();
    translate(device);
    for (int d = 0; d < omp_get_num_devices(); d++) {
        copies(d, host);
        associate(d);
    }
    return 0;
}
