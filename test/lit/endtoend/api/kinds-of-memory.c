// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's kinds of memory: what llvm_omp_target_alloc_host and _shared give is read and written by the host and by
// regions through one address; _device memory works like omp_target_alloc's; each is freed by its own routine or by
// omp_target_free, and not by another kind's. Locked memory is used by the address that locking returns. libomp's
// predefined target allocators work with these.
//
// RUN: %cc-both
// RUN: %t.plugin 2>&1 | %FileCheck %s
// RUN: %nowait-run %t.stock 2>&1 | %FileCheck %s
#include "check.h"

enum { N = 100, DEVICES = 4 };

void *llvm_omp_target_alloc_host(size_t size, int device);
void *llvm_omp_target_alloc_shared(size_t size, int device);
void *llvm_omp_target_alloc_device(size_t size, int device);
void llvm_omp_target_free_host(void *address, int device);
void llvm_omp_target_free_shared(void *address, int device);
void llvm_omp_target_free_device(void *address, int device);
void *llvm_omp_target_lock_mem(void *address, size_t size, int device);
void llvm_omp_target_unlock_mem(void *address, int device);

static void both_use(int *data, int device)
{
    CHECK(data != NULL);
    for (int i = 0; i < N; i++)
        data[i] = i;
#pragma omp target is_device_ptr(data) device(device) nowait
    for (int i = 0; i < N; i++)
        data[i] *= 2;
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(data[i], 2 * i);
}

int main(void)
{
    int host = omp_get_initial_device(), on_stack[N];
    watchdog(40);
    for (int device = 0; device <= DEVICES; device++) {
        int *reached = llvm_omp_target_alloc_host(N * sizeof(int), device);
        both_use(reached, device);
        llvm_omp_target_free_host(reached, device);
        reached = llvm_omp_target_alloc_shared(N * sizeof(int), device);
        both_use(reached, device);
        llvm_omp_target_free_shared(reached, device);
        int *own = llvm_omp_target_alloc_device(N * sizeof(int), device);
        CHECK(own != NULL);
        memset(on_stack, 0x11, sizeof on_stack);
        CHECK_EQ(omp_target_memcpy(own, on_stack, sizeof on_stack, 0, 0, device, host), 0);
#pragma omp target is_device_ptr(own) device(device)
        own[N - 1]++;
        CHECK_EQ(omp_target_memcpy(on_stack, own, sizeof on_stack, 0, 0, host, device), 0);
        CHECK_EQ(on_stack[N - 1], 0x11111112);
        llvm_omp_target_free_device(own, device);
        int *locked = llvm_omp_target_lock_mem(on_stack, sizeof on_stack, device);
        both_use(locked, device);
        llvm_omp_target_unlock_mem(on_stack, device);
    }
    CHECK_PTR_EQ(llvm_omp_target_alloc_host(0, 0), NULL);
    CHECK_PTR_EQ(llvm_omp_target_lock_mem(NULL, N, 0), NULL);
    void *mixed = llvm_omp_target_alloc_host(N, 0);
    // CHECK: error: llvm_omp_target_free_shared: {{.*}} is not the begin of shared memory
    llvm_omp_target_free_shared(mixed, 0);
    omp_target_free(mixed, 0);
    // CHECK-NEXT: error: llvm_omp_target_alloc_host: there is no device 9
    CHECK_PTR_EQ(llvm_omp_target_alloc_host(N, 9), NULL);
    // CHECK-NEXT: error: llvm_omp_target_lock_mem: there is no device 9
    CHECK_PTR_EQ(llvm_omp_target_lock_mem(on_stack, N, 9), NULL);

    int *by_allocator = omp_alloc(N * sizeof(int), llvm_omp_target_host_mem_alloc);
    both_use(by_allocator, 0);
    omp_free(by_allocator, llvm_omp_target_host_mem_alloc);
    by_allocator = omp_alloc(N * sizeof(int), llvm_omp_target_shared_mem_alloc);
    both_use(by_allocator, 0);
    omp_free(by_allocator, llvm_omp_target_shared_mem_alloc);
    // CHECK-NEXT: the end
    fprintf(stderr, "the end\n");
    return 0;
}
