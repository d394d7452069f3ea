/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of the emulated driver: what is left, freed twice, written past the end; what a pointer is; pools. */
#include <string.h>

#include "cudaemu/emu_test.h"

static CUcontext context;
static CUmodule module;
static CUfunction empty;

static int begin(void **state)
{
    context = begin_context();
    module = load_image("kernels.cubin");
    empty = function_of(module, "empty");
    *state = NULL;
    return 0;
}

static void launch_long(CUstream stream)
{
    cudaemu_kernel_time("empty", 300000000);
    OK(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    cudaemu_kernel_time("empty", 0);
}

static void what_is_left_is_known(void **state)
{
    cudaemu_memory_t memory;
    CUdeviceptr managed, a = device_memory(1000), b = device_memory(24);
    void *host = pinned_memory(77);
    (void)state;
    OK(cuMemAllocManaged(&managed, 5, CU_MEM_ATTACH_GLOBAL));
    cudaemu_memory(&memory);
    assert_int_equal(memory.device_bytes, 1024);
    assert_int_equal(memory.device_count, 2);
    assert_int_equal(memory.pinned_bytes, 77);
    assert_int_equal(memory.managed_bytes, 5);
    OK(cuMemFree_v2(a));
    OK(cuMemFree_v2(b));
    OK(cuMemFree_v2(managed));
    OK(cuMemFree_v2(0));
    OK(cuMemFreeHost(host));
    cudaemu_memory(&memory);
    assert_int_equal(memory.device_count + memory.pinned_count + memory.managed_count, 0);
    assert_true(memory.device_bytes_high >= 1024);
    assert_int_equal(cudaemu_misuses(), 0);
}

static void wrong_frees_are_misuses(void **state)
{
    CUdeviceptr address = device_memory(64), kept = device_memory(64);
    CUdeviceptr variable;
    (void)state;
    OK(cuModuleGetGlobal_v2(&variable, NULL, module, "v"));
    OK(cuMemFree_v2(address));
    uint64_t before = cudaemu_misuses();
    capture_begin();
    assert_int_equal(cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);       /* twice */
    assert_int_equal(cuMemFree_v2(kept + 8), CUDA_ERROR_INVALID_VALUE);      /* not its start */
    assert_int_equal(cuMemFree_v2(variable), CUDA_ERROR_INVALID_VALUE);      /* a module's */
    assert_int_equal(cuMemFreeHost((void *)kept), CUDA_ERROR_INVALID_VALUE); /* of another kind */
    assert_int_equal(cudaemu_misuses() - before, 4);
    assert_int_equal(count_lines(capture_end()), 4);
    OK(cuMemFree_v2(kept));
}

static void writing_past_the_end_is_found(void **state)
{
    CUdeviceptr address = device_memory(100);
    (void)state;
    uint64_t before = cudaemu_misuses();
    ((char *)address)[102] = 0;
    capture_begin();
    OK(cuMemFree_v2(address));
    assert_non_null(strstr(capture_end(), "byte 2 behind the end of 100 bytes"));
    assert_int_equal(cudaemu_misuses() - before, 1);
}

/* Without waiting frees, memory can go under a command's feet. */
static void freeing_under_a_pending_copy_is_found(void **state)
{
    CUstream stream = new_stream();
    CUdeviceptr address = device_memory(64);
    void *host = pinned_memory(64);
    (void)state;
    uint64_t before = cudaemu_misuses();
    emu_settings.free_waits = false;
    launch_long(stream);
    OK(cuMemcpyDtoHAsync_v2(host, address, 64, stream));
    OK(cuMemFree_v2(address));
    emu_settings.free_waits = true;
    capture_begin();
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(count_lines(capture_end()), 1);
    assert_int_equal(cudaemu_misuses() - before, 1);
    cudaemu_heal();
    OK(cuMemFreeHost(host));
    OK(cuStreamDestroy_v2(stream));
}

static void free_waits_for_the_device_if_told_to(void **state)
{
    CUstream stream = new_stream();
    CUdeviceptr address = device_memory(64);
    (void)state;
    launch_long(stream);
    cudaemu_mark();
    OK(cuMemFree_v2(address));
    assert_int_equal(cudaemu_blocked("cuMemFree"), 1);
    OK(cuStreamQuery(stream));
    emu_settings.free_waits = false;
    emu_settings.alloc_waits = true;
    launch_long(stream);
    address = device_memory(64);
    assert_int_equal(cudaemu_blocked("cuMemAlloc"), 1);
    OK(cuStreamQuery(stream));
    emu_settings.alloc_waits = false;
    launch_long(stream);
    OK(cuMemFree_v2(address));
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    assert_int_equal(cudaemu_blocked("cuMemFree"), 1);
    emu_settings.free_waits = true;
    OK(cuStreamSynchronize(stream));
    OK(cuStreamDestroy_v2(stream));
}

static void memory_ends(void **state)
{
    CUdeviceptr most, more;
    size_t left, total;
    (void)state;
    emu_settings.memory = 1 << 20;
    OK(cuMemAlloc_v2(&most, (1 << 20) - 100));
    OK(cuMemGetInfo_v2(&left, &total));
    assert_int_equal(left, 100);
    assert_int_equal(total, 1 << 20);
    assert_int_equal(cuMemAlloc_v2(&more, 101), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemAllocAsync(&more, 101, NULL), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAlloc_v2(&more, 100));
    OK(cuMemFree_v2(more));
    OK(cuMemFree_v2(most));
    assert_int_equal(cuMemAlloc_v2(&more, 0), CUDA_ERROR_INVALID_VALUE);
    emu_settings.memory = UINT64_C(16) << 30;
}

static unsigned int type_of(const void *address)
{
    unsigned int type = 0;
    CUresult result = cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)address);
    return result == CUDA_SUCCESS ? type : 0;
}

static void pointers_are_told_apart(void **state)
{
    static char pageable[8192];
    CUdeviceptr device = device_memory(512), start, alias;
    void *pinned = pinned_memory(64);
    size_t size;
    unsigned int type, managed;
    (void)state;
    assert_int_equal(type_of((void *)(device + 511)), CU_MEMORYTYPE_DEVICE);
    assert_int_equal(type_of((void *)(device + 512)), 0);
    assert_int_equal(type_of(pinned), CU_MEMORYTYPE_HOST);
    assert_int_equal(type_of(pageable), 0);
    OK(cuMemHostRegister_v2(pageable + 100, 4000, 0));
    assert_int_equal(cuMemHostRegister_v2(pageable + 4099, 10, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_int_equal(type_of(pageable + 4099), CU_MEMORYTYPE_HOST);
    assert_int_equal(type_of(pageable + 4100), 0);
    OK(cuMemHostGetDevicePointer_v2(&alias, pageable + 200, 0));
    assert_int_equal(cuMemHostGetDevicePointer_v2(&alias, pageable, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 5));
    OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, device + 5));
    assert_int_equal(start, device);
    assert_int_equal(size, 512);
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void *values[] = {&type, &managed};
    OK(cuPointerGetAttributes(2, which, values, (CUdeviceptr)(pageable)));
    assert_int_equal(type, 0);
    OK(cuPointerGetAttributes(2, which, values, device));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_int_equal(managed, 0);
    OK(cuMemHostUnregister(pageable + 100));
    capture_begin();
    assert_int_equal(cuMemHostUnregister(pageable + 100), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    capture_end();
    OK(cuMemFree_v2(device));
    OK(cuMemFreeHost(pinned));
}

/* Memory that a stream frees is there until the stream comes to it, and can't be freed again meanwhile. */
static void pools_follow_their_stream(void **state)
{
    CUstream stream = new_stream();
    CUmemoryPool pool;
    CUdeviceptr address;
    uint64_t used, threshold = 12345;
    (void)state;
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    threshold = 0;
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    assert_int_equal(threshold, 12345);
    OK(cuMemAllocAsync(&address, 256, stream));
    launch_long(stream);
    OK(cuMemFreeAsync(address, stream));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 256);
    assert_int_equal(type_of((void *)address), CU_MEMORYTYPE_DEVICE);
    capture_begin();
    assert_int_equal(cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(count_lines(capture_end()), 1);
    OK(cuStreamSynchronize(stream));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 0);
    assert_int_equal(type_of((void *)address), 0);
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    OK(cuMemPoolCreate(&pool, &properties));
    OK(cuMemAllocFromPoolAsync(&address, 16, pool, stream));
    OK(cuMemFree_v2(address));
    OK(cuMemPoolTrimTo(pool, 0));
    OK(cuMemPoolDestroy(pool));
    emu_settings.pools = false;
    assert_int_equal(cuMemAllocAsync(&address, 256, stream), CUDA_ERROR_NOT_SUPPORTED);
    emu_settings.pools = true;
    OK(cuStreamDestroy_v2(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_is_known),
        cmocka_unit_test(wrong_frees_are_misuses),
        cmocka_unit_test(writing_past_the_end_is_found),
        cmocka_unit_test(freeing_under_a_pending_copy_is_found),
        cmocka_unit_test(free_waits_for_the_device_if_told_to),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(pointers_are_told_apart),
        cmocka_unit_test(pools_follow_their_stream),
    };
    watchdog(WATCHDOG_SECONDS);
    return cmocka_run_group_tests(tests, begin, NULL);
}
