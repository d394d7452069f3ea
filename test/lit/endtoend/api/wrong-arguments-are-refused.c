// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory routines with arguments that can't be: each says so in one line with its name, returns its failure
// value and changes nothing. None crashes, hangs or ends the program.
//
// RUN: %cc-both
// RUN: %t.plugin 2>&1 | %FileCheck %s
// RUN: %nowait-run %t.stock 2>&1 | %FileCheck %s
#include "check.h"

enum { N = 16 };

#define SAY(text) (fprintf(stderr, "%s\n", text))

static void copies(char *there, int host)
{
    char here[N] = {0};
    size_t one[1] = {1}, zero[1] = {0}, much[2] = {(size_t)1 << 40, (size_t)1 << 40}, zeros[2] = {0, 0};
    omp_depend_t none = NULL;
    // CHECK: copies
    SAY("copies");
    // CHECK-NEXT: error: omp_target_memcpy: an address is null
    CHECK_NE(omp_target_memcpy(NULL, here, N, 0, 0, 0, host), 0);
    // CHECK-NEXT: error: omp_target_memcpy: an address is null
    CHECK_NE(omp_target_memcpy(there, NULL, N, 0, 0, 0, host), 0);
    CHECK_EQ(omp_target_memcpy(NULL, NULL, 0, 0, 0, 0, host), 0);
    // CHECK-NEXT: error: omp_target_memcpy: there is no device 77: devices are numbered 0 to 3, and 4 is the host
    CHECK_NE(omp_target_memcpy(there, here, N, 0, 0, 77, host), 0);
    // CHECK-NEXT: error: omp_target_memcpy: there is no device -2
    CHECK_NE(omp_target_memcpy(here, there, N, 0, 0, host, -2), 0);
    // CHECK-NEXT: error: omp_target_memcpy_async: an address is null
    CHECK_NE(omp_target_memcpy_async(NULL, here, N, 0, 0, 0, host, 0, NULL), 0);
    // CHECK-NEXT: error: omp_target_memcpy_async: there is no device 77
    CHECK_NE(omp_target_memcpy_async(there, here, N, 0, 0, 77, host, 0, NULL), 0);
    // CHECK-NEXT: error: omp_target_memcpy_async: 1 depend objects at address (nil)
    CHECK_NE(omp_target_memcpy_async(there, here, N, 0, 0, 0, host, 1, NULL), 0);
    // CHECK-NEXT: error: omp_target_memcpy_async: -1 depend objects
    CHECK_NE(omp_target_memcpy_async(there, here, N, 0, 0, 0, host, -1, &none), 0);
    // CHECK-NEXT: error: omp_target_memcpy_async: depend object 0 has not been initialised by a depobj construct
    CHECK_NE(omp_target_memcpy_async(there, here, N, 0, 0, 0, host, 1, &none), 0);
    // CHECK-NEXT: error: omp_target_memcpy_rect: an address is null
    CHECK_NE(omp_target_memcpy_rect(there, NULL, 1, 1, one, zero, zero, one, one, 0, host), 0);
    // CHECK-NEXT: error: omp_target_memcpy_rect: an argument is null or zero
    CHECK_NE(omp_target_memcpy_rect(there, here, 0, 1, one, zero, zero, one, one, 0, host), 0);
    // CHECK-NEXT: error: omp_target_memcpy_rect: an argument is null or zero
    CHECK_NE(omp_target_memcpy_rect(there, here, 1, 0, one, zero, zero, one, one, 0, host), 0);
    // CHECK-NEXT: error: omp_target_memcpy_rect_async: an argument is null or zero
    CHECK_NE(omp_target_memcpy_rect_async(there, here, 1, 1, one, zero, NULL, one, one, 0, host, 0, NULL), 0);
    // CHECK-NEXT: error: omp_target_memcpy_rect: the volume has more bytes than memory
    CHECK_NE(omp_target_memcpy_rect(there, here, 1, 2, much, zeros, zeros, much, much, 0, host), 0);
    // CHECK-NEXT: error: omp_target_memset: there is no device 77
    CHECK_PTR_EQ(omp_target_memset(there, 1, N, 77), there);
    // CHECK-NEXT: error: omp_target_memset_async: there is no device 77
    CHECK_PTR_EQ(omp_target_memset_async(there, 1, N, 77, 0, NULL), there);
    CHECK_PTR_EQ(omp_target_memset(NULL, 1, N, 0), NULL);
    CHECK_PTR_EQ(omp_target_memset_async(NULL, 1, N, 0, 0, NULL), NULL);
    CHECK_EQ(omp_target_memcpy(here, there, N, 0, 0, host, 0), 0);
    for (int i = 0; i < N; i++)
        CHECK_EQ(here[i], 5);
}

static void memory(char *there, int host)
{
    // CHECK: memory
    SAY("memory");
    CHECK_PTR_EQ(omp_target_alloc(0, 0), NULL);
    // CHECK-NEXT: error: omp_target_alloc: there is no device 77
    CHECK_PTR_EQ(omp_target_alloc(N, 77), NULL);
    // CHECK-NEXT: error: omp_target_alloc: no {{[0-9]+}} bytes of device memory on device 1
    CHECK_PTR_EQ(omp_target_alloc((size_t)1 << 60, 1), NULL);
    omp_target_free(NULL, 0);
    // CHECK-NEXT: error: omp_target_free: there is no device 77
    omp_target_free(there, 77);
    // CHECK-NEXT: error: omp_target_free: {{.*}} is not the begin of device memory that was allocated on device 0
    omp_target_free(there + 1, 0);
    // CHECK-NEXT: error: omp_target_free: {{.*}} is not the begin of device memory that was allocated on device 1
    omp_target_free(there, 1);
    CHECK_EQ(omp_target_is_present(NULL, host), 0);
    // CHECK-NEXT: error: omp_target_is_present: there is no device 77
    CHECK_EQ(omp_target_is_present(there, 77), 0);
    // CHECK-NEXT: error: omp_get_mapped_ptr: there is no device 77
    CHECK_PTR_EQ(omp_get_mapped_ptr(there, 77), NULL);
    CHECK_PTR_EQ(omp_get_mapped_ptr(NULL, 0), NULL);
    CHECK_PTR_EQ(omp_get_mapped_ptr(there, host), there);
}

int global[N];
#pragma omp declare target to(global)

static void associations(char *there, int host)
{
    char here[2 * N], *middle = here + N / 2;
    // CHECK: associations
    SAY("associations");
    // CHECK-NEXT: error: omp_target_associate_ptr: {{.*}} on device 0: an address is null, or the size is 0
    CHECK_NE(omp_target_associate_ptr(NULL, there, N, 0, 0), 0);
    // CHECK-NEXT: error: omp_target_associate_ptr: {{.*}} on device 0: an address is null, or the size is 0
    CHECK_NE(omp_target_associate_ptr(here, NULL, N, 0, 0), 0);
    // CHECK-NEXT: error: omp_target_associate_ptr: {{.*}} on device 0: an address is null, or the size is 0
    CHECK_NE(omp_target_associate_ptr(here, there, 0, 0, 0), 0);
    // CHECK-NEXT: error: omp_target_associate_ptr: {{.*}} on device 4: the host has no associations
    CHECK_NE(omp_target_associate_ptr(here, there, N, 0, host), 0);
    // CHECK-NEXT: error: omp_target_associate_ptr: there is no device 77
    CHECK_NE(omp_target_associate_ptr(here, there, N, 0, 77), 0);
    CHECK_EQ(omp_target_associate_ptr(here, there, N, 0, 0), 0);
    CHECK_EQ(omp_target_associate_ptr(here, there, N, 0, 0), 0);
    // CHECK-NEXT: error: omp_target_associate_ptr: {{.*}} on device 0: it has another association
    CHECK_NE(omp_target_associate_ptr(here, there, N, 1, 0), 0);
    // CHECK-NEXT: error: omp_target_associate_ptr: {{.*}} on device 0: it has another association
    CHECK_NE(omp_target_associate_ptr(here, there, N / 2, 0, 0), 0);
    // CHECK-NEXT: error: omp_target_associate_ptr: {{.*}} on device 0: it has another association
    CHECK_NE(omp_target_associate_ptr(middle, there, N, 0, 0), 0);
    CHECK_PTR_EQ(omp_get_mapped_ptr(middle, 0), there + N / 2);
    CHECK_EQ(omp_target_is_present(middle, 0), 1);
    CHECK_EQ(omp_target_is_present(middle, 1), 0);
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: nothing begins there that is present
    CHECK_NE(omp_target_disassociate_ptr(middle, 0), 0);
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: the address is null
    CHECK_NE(omp_target_disassociate_ptr(NULL, 0), 0);
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 4: the host has no associations
    CHECK_NE(omp_target_disassociate_ptr(here, host), 0);
    CHECK_EQ(omp_target_disassociate_ptr(here, 0), 0);
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: nothing begins there that is present
    CHECK_NE(omp_target_disassociate_ptr(here, 0), 0);
    CHECK_EQ(omp_target_is_present(here, 0), 0);
#pragma omp target enter data map(alloc : here)
    // CHECK-NEXT: error: omp_target_associate_ptr: {{.*}} on device 0: it is mapped
    CHECK_NE(omp_target_associate_ptr(here, there, N, 0, 0), 0);
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: it was mapped by a construct, not associated
    CHECK_NE(omp_target_disassociate_ptr(here, 0), 0);
#pragma omp target exit data map(delete : here)
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: it was mapped by a construct, not associated
    CHECK_NE(omp_target_disassociate_ptr(global, 0), 0);
}

int main(void)
{
    int host = omp_get_initial_device();
    char *there = omp_target_alloc(N, 0);
    watchdog(40);
    CHECK(there != NULL);
    omp_target_memset(there, 5, N, 0);
    copies(there, host);
    memory(there, host);
    associations(there, host);
    omp_target_free(there, 0);
    // CHECK: error: omp_target_free: {{.*}} is not the begin of device memory that was allocated on device 0
    omp_target_free(there, 0);
    // CHECK-NEXT: the end
    SAY("the end");
    return 0;
}
