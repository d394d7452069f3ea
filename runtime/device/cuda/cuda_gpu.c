/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_gpu.h"

#include <stdlib.h>

#include "device/cuda/cuda_copy.h"
#include "device/cuda/cuda_memory.h"
#include "device/cuda/cuda_stream.h"
#include "support/log.h"
#include "support/reason.h"
#include "support/settings.h"

/* Bytes of ordinary memory kept for firstprivate variables on their way. */
#define VALUES_KEPT ((size_t)16 << 20)

static uint32_t attribute(const nw_cuda_gpu_t *gpu, CUdevice_attribute which, uint32_t otherwise)
{
    int value;
    return nw_cuda.cuDeviceGetAttribute(&value, which, gpu->handle) == CUDA_SUCCESS && value > 0 ? (uint32_t)value
                                                                                                 : otherwise;
}

static void read_attributes(nw_cuda_gpu_t *gpu)
{
    gpu->major = (int)attribute(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    gpu->minor = (int)attribute(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
    gpu->max_threads = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024);
    gpu->max_blocks = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 65535);
    gpu->warp = attribute(gpu, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32);
    gpu->multiprocessors = attribute(gpu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1);
    gpu->max_threads_resident = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1024);
    if (nw_cuda.cuDeviceGetName(gpu->name, sizeof gpu->name, gpu->handle) != CUDA_SUCCESS)
        gpu->name[0] = '\0';
}

/* The primary context, which the program's own CUDA code uses too. If nobody does yet, waiting in the driver sleeps. */
static nw_status_t retain_context(nw_cuda_gpu_t *gpu)
{
    unsigned flags = 0;
    int active = 0;
    const char *call = "cuDevicePrimaryCtxRetain";
    if (nw_cuda.cuDevicePrimaryCtxGetState(gpu->handle, &flags, &active) == CUDA_SUCCESS && !active)
        /* If another thread was faster, its choice stands. */
        (void)nw_cuda.cuDevicePrimaryCtxSetFlags(gpu->handle, CU_CTX_SCHED_BLOCKING_SYNC);
    CUresult result = nw_cuda.cuDevicePrimaryCtxRetain(&gpu->context, gpu->handle);
    if (result == CUDA_SUCCESS) {
        call = "cuCtxSetCurrent";
        result = nw_cuda_enter(gpu);
        if (result != CUDA_SUCCESS)
            (void)nw_cuda.cuDevicePrimaryCtxRelease(gpu->handle);
    }
    return result == CUDA_SUCCESS ? NW_OK : nw_cuda_failed(result, call, "no context");
}

static void set_limit(const nw_cuda_gpu_t *gpu, CUlimit limit, int64_t value, const char *setting)
{
    if (value <= 0)
        return;
    CUresult result = nw_cuda.cuCtxSetLimit(limit, (size_t)value);
    if (result != CUDA_SUCCESS)
        nw_log(NW_LOG_WARNING, "device %d: %s=%lld: %s; using the driver's default", gpu->device->number, setting,
               (long long)value, nw_cuda_words(result));
}

static void *host_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void host_free(void *context, void *block, size_t size)
{
    (void)context;
    (void)size;
    free(block);
}

/* Pinned memory for large copies, and for a first few thousand small ones. */
static nw_status_t open_staging(nw_cuda_gpu_t *gpu)
{
    nw_cuda_staging_init(&gpu->staging);
    nw_buffer_pool_init(&gpu->values, host_alloc, host_free, NULL, VALUES_KEPT);
    bool pinned = nw_cuda_staging_grow(&gpu->staging, SIZE_MAX) && nw_cuda_staging_grow(&gpu->staging, SIZE_MAX);
    for (unsigned i = 0; pinned && i < NW_CUDA_LANES * NW_CUDA_TRANSFER_PIECES; i++) {
        char **piece = &gpu->pieces[i % NW_CUDA_LANES][i / NW_CUDA_LANES];
        *piece = nw_cuda_staging_take(&gpu->staging, NW_CUDA_LARGEST_BLOCK);
        pinned = *piece != NULL;
    }
    if (pinned)
        return NW_OK;
    nw_reason_set("no host memory can be pinned; raise the limit on locked memory (ulimit -l)");
    nw_cuda_staging_close(&gpu->staging);
    nw_buffer_pool_destroy(&gpu->values);
    return NW_ERR_NO_MEMORY;
}

nw_status_t nw_cuda_gpu_open(nw_cuda_gpu_t *gpu, nw_device_t *device, int index)
{
    *gpu = (nw_cuda_gpu_t){.device = device, .index = index};
    pthread_mutex_init(&gpu->queues_lock, NULL);
    CUresult result = nw_cuda.cuDeviceGet(&gpu->handle, index);
    if (result != CUDA_SUCCESS)
        return nw_cuda_failed(result, "cuDeviceGet", "no such GPU");
    read_attributes(gpu);
    nw_status_t status = retain_context(gpu);
    if (status != NW_OK)
        return status;
    set_limit(gpu, CU_LIMIT_STACK_SIZE, nw_settings.cuda_stack, "LIBOMPTARGET_STACK_SIZE");
    set_limit(gpu, CU_LIMIT_MALLOC_HEAP_SIZE, nw_settings.cuda_heap, "LIBOMPTARGET_HEAP_SIZE");
    status = nw_cuda_memory_open(gpu);
    if (status != NW_OK)
        goto release;
    status = open_staging(gpu);
    if (status != NW_OK)
        goto close_memory;
    status = nw_cuda_copies_open(gpu);
    if (status != NW_OK)
        goto close_staging;
    status = nw_cuda_streams_open(gpu);
    if (status != NW_OK)
        goto close_copies;
    device->impl = gpu;
    device->name = gpu->name;
    return NW_OK;

close_copies:
    nw_cuda_copies_close(gpu);
close_staging:
    nw_cuda_staging_close(&gpu->staging);
    nw_buffer_pool_destroy(&gpu->values);
close_memory:
    nw_cuda_memory_close(gpu);
release:
    (void)nw_cuda.cuDevicePrimaryCtxRelease(gpu->handle);
    return status;
}

void nw_cuda_gpu_flush(nw_cuda_gpu_t *gpu)
{
    if (nw_cuda_enter(gpu) == CUDA_SUCCESS)
        (void)nw_cuda.cuCtxSynchronize();
}

void nw_cuda_gpu_close(nw_cuda_gpu_t *gpu)
{
    if (nw_cuda_enter(gpu) != CUDA_SUCCESS)
        return;
    nw_cuda_streams_close(gpu);
    nw_cuda_copies_close(gpu);
    nw_cuda_staging_close(&gpu->staging);
    nw_buffer_pool_destroy(&gpu->values);
    nw_cuda_memory_close(gpu);
    (void)nw_cuda.cuDevicePrimaryCtxRelease(gpu->handle);
}
