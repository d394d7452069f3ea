// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points for LLVM's tools and for programs that ask the runtime about itself: device information, mapping tables,
// the information level, a `requires` of older objects. Record and replay, and launches of CUDA source, are refused in
// one line each, once, and return a failure.
//
// REQUIRES: device-host
// RUN: %cc-plugin
// RUN: %t.plugin 2>&1 | %FileCheck %s
#include "check.h"

typedef struct {
    unsigned x, y, z;
} dim3;

void __tgt_rtl_init(void);
void __tgt_rtl_deinit(void);
void __tgt_init_all_rtls(void);
void __tgt_set_info_flag(uint32_t bits);
int __tgt_print_device_info(int64_t device);
void ompx_dump_mapping_tables(void);
int __tgt_activate_record_replay(int64_t device, uint64_t size, void *address, _Bool record, _Bool save,
                                 uint64_t *offset);
int __tgt_target_kernel_replay(void *loc, int64_t device, void *id, void *memory, int64_t size, void **args,
                               ptrdiff_t *offsets, int n, int teams, int threads, uint64_t trip_count);
unsigned __llvmPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
unsigned __llvmPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
unsigned llvmLaunchKernel(const void *function, dim3 grid, dim3 block, void *args, size_t shared, void *stream);
void *llvm_omp_target_dynamic_shared_alloc(void);

int main(void)
{
    int x[10] = {0};
    uint64_t offset = 0;
    watchdog(40);
    setvbuf(stdout, NULL, _IONBF, 0);
    __tgt_init_all_rtls();
    __tgt_rtl_init();
    __tgt_rtl_deinit();
    CHECK_PTR_EQ(llvm_omp_target_dynamic_shared_alloc(), NULL);

    // CHECK: device 2: CPU, backend host, uid host-2
    CHECK_EQ(__tgt_print_device_info(2), 0);
    // CHECK: error: __tgt_print_device_info: there is no device 99
    CHECK_NE(__tgt_print_device_info(99), 0);

#pragma omp target enter data map(to : x) device(1)
#pragma omp target enter data map(to : x) device(1)
    // CHECK: device 0 info: OpenMP Host-Device pointer mappings table empty
    // CHECK: device 1 info: OpenMP Host-Device pointer mappings after block at libomptarget:0:0:
    // CHECK: {{0x[0-9a-f]+ 0x[0-9a-f]+ 40 +2 +0 +unknown at unknown:0:0}}
    // CHECK: device 3 info: OpenMP Host-Device pointer mappings table empty
    ompx_dump_mapping_tables();
    // CHECK-NOT: Entering
    // CHECK: level 1
    // CHECK: Exiting OpenMP data region with end_mapper at
    // CHECK: level 0
    // CHECK-NOT: Entering
    printf("level 1\n");
    __tgt_set_info_flag(1);
#pragma omp target exit data map(release : x) device(1)
    printf("level 0\n");
    __tgt_set_info_flag(0);
#pragma omp target exit data map(release : x) device(1)

    // CHECK: error: __tgt_activate_record_replay: this runtime does not record kernels
    CHECK_NE(__tgt_activate_record_replay(0, 1 << 20, NULL, 1, 1, &offset), 0);
    CHECK_NE(__tgt_activate_record_replay(0, 1 << 20, NULL, 1, 1, &offset), 0);
    // CHECK-NEXT: error: __tgt_target_kernel_replay: this runtime does not replay kernels
    CHECK_NE(__tgt_target_kernel_replay(NULL, 0, NULL, NULL, 0, NULL, NULL, 0, 1, 1, 0), 0);
    CHECK_NE(__tgt_target_kernel_replay(NULL, 0, NULL, NULL, 0, NULL, NULL, 0, 1, 1, 0), 0);

    dim3 grid = {1, 2, 3}, block = {4, 5, 6}, got_grid, got_block;
    size_t shared;
    void *stream;
    CHECK_EQ(__llvmPushCallConfiguration(grid, block, 7, x), 0);
#pragma omp parallel num_threads(2)
    {
        /* A configuration is its thread's. */
        if (omp_get_thread_num() == 1)
            __llvmPushCallConfiguration(block, grid, 1, NULL);
    }
    CHECK_EQ(__llvmPopCallConfiguration(&got_grid, &got_block, &shared, &stream), 0);
    CHECK_EQ(memcmp(&grid, &got_grid, sizeof grid), 0);
    CHECK_EQ(memcmp(&block, &got_block, sizeof block), 0);
    CHECK_EQ(shared, 7);
    CHECK_PTR_EQ(stream, x);
    // CHECK-NEXT: error: llvmLaunchKernel: this runtime launches OpenMP's regions, not kernels of CUDA source
    CHECK_NE(llvmLaunchKernel((void *)main, grid, block, NULL, 0, NULL), 0);
    CHECK_NE(llvmLaunchKernel((void *)main, grid, block, NULL, 0, NULL), 0);
    // CHECK-NEXT: the end
    printf("the end\n");
    return 0;
}
