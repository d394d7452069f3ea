/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of the emulated driver: what they move, and which of them wait for the device. */
#include <string.h>

#include "cudaemu/emu_test.h"

enum { BIG = 1 << 20 };

static CUcontext context;
static CUmodule module;
static CUfunction empty;
static char pageable[BIG];

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

static void page_locked_copies_never_wait(void **state)
{
    CUstream stream = new_stream();
    CUdeviceptr device = device_memory(BIG);
    char *host = pinned_memory(BIG);
    (void)state;
    memset(host, 3, BIG);
    launch_long(stream);
    cudaemu_mark();
    OK(cuMemcpyHtoDAsync_v2(device, host, BIG, stream));
    OK(cuMemsetD8Async(device, 4, BIG / 2, stream));
    OK(cuMemcpyDtoHAsync_v2(host, device, BIG, stream));
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    assert_int_equal(cudaemu_blocked(NULL), 0);
    assert_int_equal(cudaemu_calls(NULL), 4);
    OK(cuStreamSynchronize(stream));
    assert_int_equal(cudaemu_blocked(NULL), 1);
    assert_int_equal(host[0], 4);
    assert_int_equal(host[BIG / 2 - 1], 4);
    assert_int_equal(host[BIG / 2], 3);
    assert_int_equal(host[BIG - 1], 3);
    OK(cuMemFree_v2(device));
    OK(cuMemFreeHost(host));
    OK(cuStreamDestroy_v2(stream));
}

/* A small pageable source is the program's again at once; a big one only after all that the stream had to do. */
static void pageable_source_is_staged_or_waited_for(void **state)
{
    CUstream stream = new_stream();
    CUdeviceptr device = device_memory(BIG);
    char back[16];
    (void)state;
    launch_long(stream);
    cudaemu_mark();
    strcpy(pageable, "before");
    OK(cuMemcpyHtoDAsync_v2(device, pageable, 64 << 10, stream));
    strcpy(pageable, "after");
    assert_int_equal(cudaemu_blocked(NULL), 0);
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(back, device, sizeof back));
    assert_string_equal(back, "before");
    launch_long(stream);
    OK(cuMemcpyHtoDAsync_v2(device, pageable, (64 << 10) + 1, stream));
    assert_int_equal(cudaemu_blocked("cuMemcpyHtoDAsync"), 1);
    OK(cuStreamQuery(stream));
    OK(cuMemcpyDtoH_v2(back, device, sizeof back));
    assert_string_equal(back, "after");
    OK(cuMemFree_v2(device));
    OK(cuStreamDestroy_v2(stream));
}

static void pageable_destination_is_waited_for(void **state)
{
    CUstream stream = new_stream();
    CUdeviceptr device = device_memory(64);
    char *managed;
    CUdeviceptr managed_address;
    (void)state;
    OK(cuMemAllocManaged(&managed_address, 64, CU_MEM_ATTACH_GLOBAL));
    managed = (char *)managed_address;
    OK(cuMemsetD8_v2(device, 9, 64));
    launch_long(stream);
    cudaemu_mark();
    OK(cuMemcpyDtoHAsync_v2(managed, device, 64, stream));
    assert_int_equal(cudaemu_blocked(NULL), 0);
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    pageable[0] = 0;
    OK(cuMemcpyDtoHAsync_v2(pageable, device, 1, stream));
    assert_int_equal(cudaemu_blocked("cuMemcpyDtoHAsync"), 1);
    assert_int_equal(cudaemu_thread_blocked("cuMemcpyDtoHAsync"), 1);
    assert_int_equal(pageable[0], 9);
    assert_int_equal(managed[63], 9);
    OK(cuMemFree_v2(managed_address));
    OK(cuMemFree_v2(device));
    OK(cuStreamDestroy_v2(stream));
}

/* Copies within a device don't wait even when they are called synchronous. */
static void copies_within_a_device_do_not_wait(void **state)
{
    CUstream blocking;
    CUdeviceptr from = device_memory(64), to = device_memory(64);
    char back[64];
    (void)state;
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuMemsetD32_v2(from, 0x01020304, 16));
    launch_long(blocking);
    cudaemu_mark();
    OK(cuMemcpyDtoD_v2(to, from, 64));
    assert_int_equal(cudaemu_blocked(NULL), 0);
    assert_int_equal(cuStreamQuery(blocking), CUDA_ERROR_NOT_READY);
    OK(cuMemcpyDtoH_v2(back, to, 64));
    OK(cuStreamQuery(blocking)); /* the legacy stream came after it */
    assert_int_equal(back[63], 1);
    OK(cuMemcpyPeer(from, context, to, context, 64));
    OK(cuMemFree_v2(from));
    OK(cuMemFree_v2(to));
    OK(cuStreamDestroy_v2(blocking));
}

static void boxes_leave_what_is_between_alone(void **state)
{
    enum { PITCH = 16, ROWS = 4, SLICES = 2, SIZE = PITCH * ROWS * SLICES };
    CUdeviceptr device = device_memory(SIZE);
    unsigned char source[SIZE], back[SIZE];
    (void)state;
    for (int i = 0; i < SIZE; i++)
        source[i] = (unsigned char)(i + 1);
    OK(cuMemsetD8_v2(device, 0, SIZE));
    CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = source,
                         .srcPitch = PITCH,
                         .srcHeight = ROWS,
                         .srcXInBytes = 2,
                         .srcY = 1,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = device,
                         .dstPitch = PITCH,
                         .dstHeight = ROWS,
                         .dstXInBytes = 2,
                         .dstY = 1,
                         .WidthInBytes = 3,
                         .Height = 2,
                         .Depth = 2};
    OK(cuMemcpy3D_v2(&box));
    OK(cuMemcpyDtoH_v2(back, device, SIZE));
    for (int i = 0; i < SIZE; i++) {
        int x = i % PITCH, y = i / PITCH % ROWS;
        bool inside = x >= 2 && x < 5 && y >= 1 && y < 3;
        assert_int_equal(back[i], inside ? source[i] : 0);
    }
    CUDA_MEMCPY2D column = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                            .srcDevice = device,
                            .srcPitch = PITCH,
                            .srcXInBytes = 2,
                            .srcY = 1,
                            .dstMemoryType = CU_MEMORYTYPE_HOST,
                            .dstHost = back,
                            .WidthInBytes = 1,
                            .Height = 2};
    OK(cuMemcpy2D_v2(&column));
    assert_int_equal(back[0], source[PITCH + 2]);
    assert_int_equal(back[1], source[2 * PITCH + 2]);
    column.srcPitch = 0;
    column.WidthInBytes = SIZE + 1;
    assert_int_equal(cuMemcpy2D_v2(&column), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemsetD2D16Async(device, PITCH, 0xAABB, 1, 3, NULL));
    OK(cuMemcpyDtoH_v2(back, device, SIZE));
    assert_int_equal(back[2 * PITCH], 0xBB);
    assert_int_equal(back[2 * PITCH + 1], 0xAA);
    assert_int_equal(back[2 * PITCH + 2], source[2 * PITCH + 2]);
    OK(cuMemFree_v2(device));
}

static void copies_outside_device_memory_are_refused(void **state)
{
    CUdeviceptr device = device_memory(64);
    (void)state;
    assert_int_equal(cuMemcpyHtoD_v2(device, pageable, 65), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH_v2(pageable, device + 60, 5), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoD_v2(device, (CUdeviceptr)pageable, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD8_v2(device, 0, 65), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamWriteValue32_v2(NULL, (CUdeviceptr)pageable, 1, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyHtoD_v2(device, pageable, 0));
    OK(cuMemFree_v2(device));
}

/* Two copies in one direction share an engine; their modelled times add up. Reckoned, so exact whatever the machine. */
static void modelled_copies_share_an_engine(void **state)
{
    CUstream first = new_stream(), second = new_stream();
    CUdeviceptr device = device_memory(2000);
    char *host = pinned_memory(2000);
    (void)state;
    emu_settings.copy_bandwidth = 10000; /* bytes a second: 1000 bytes take 100 ms */
    OK(cuMemcpyHtoDAsync_v2(device, host, 1000, first));
    OK(cuMemcpyHtoDAsync_v2(device + 1000, host + 1000, 1000, second));
    OK(cuStreamSynchronize(first));
    assert_int_equal(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    OK(cuStreamSynchronize(second));
    emu_settings.copy_bandwidth = 0;
    OK(cuMemFree_v2(device));
    OK(cuMemFreeHost(host));
    OK(cuStreamDestroy_v2(first));
    OK(cuStreamDestroy_v2(second));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_locked_copies_never_wait),
        cmocka_unit_test(pageable_source_is_staged_or_waited_for),
        cmocka_unit_test(pageable_destination_is_waited_for),
        cmocka_unit_test(copies_within_a_device_do_not_wait),
        cmocka_unit_test(boxes_leave_what_is_between_alone),
        cmocka_unit_test(copies_outside_device_memory_are_refused),
        cmocka_unit_test(modelled_copies_share_an_engine),
    };
    watchdog(WATCHDOG_SECONDS);
    return cmocka_run_group_tests(tests, begin, NULL);
}
