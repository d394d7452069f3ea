/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_memory.h"

#include <stdlib.h>

#include "device/cuda/cuda_backend.h"
#include "device/cuda/cuda_progress.h"
#include "device/cuda/cuda_transfer.h"
#include "support/clock.h"
#include "support/log.h"
#include "support/settings.h"

/*
 * cuMemAlloc and cuMemFree may wait for everything that the GPU does. The stream-ordered calls don't, and they are used
 * on a stream that carries nothing else: memory is there as soon as the stream is idle, which is at once, and it is
 * freed only when no work uses it any more.
 */
static CUresult wait_for_allocation(const nw_cuda_gpu_t *gpu)
{
    CUresult result;
    while ((result = nw_cuda.cuStreamQuery(gpu->memory_stream)) == CUDA_ERROR_NOT_READY)
        nw_cpu_relax();
    return result;
}

static CUresult allocate(nw_cuda_gpu_t *gpu, CUdeviceptr *address_p, size_t size)
{
    CUresult result = nw_cuda_enter(gpu);
    if (result != CUDA_SUCCESS)
        return result;
    if (!gpu->ordered_memory)
        return nw_cuda.cuMemAlloc(address_p, size);
    pthread_mutex_lock(&gpu->memory_lock);
    result = gpu->memory_pool
                 ? nw_cuda.cuMemAllocFromPoolAsync(address_p, size, gpu->memory_pool, gpu->memory_stream)
                 : nw_cuda.cuMemAllocAsync(address_p, size, gpu->memory_stream);
    if (result == CUDA_SUCCESS)
        result = wait_for_allocation(gpu);
    pthread_mutex_unlock(&gpu->memory_lock);
    return result;
}

static void *from_driver(void *context, size_t size)
{
    nw_cuda_gpu_t *gpu = context;
    CUdeviceptr address = 0;
    CUresult result = allocate(gpu, &address, size);
    if (result == CUDA_SUCCESS)
        return (void *)(uintptr_t)address;
    if (result != CUDA_ERROR_OUT_OF_MEMORY)
        atomic_store_explicit(&gpu->failure, result, memory_order_relaxed);
    return NULL;
}

/* Says that memory was not freed. A call also answers with failures of what went before on the GPU, which the regions
 * concerned report: only what can be the call's own doing is worth a line for everybody. */
static void report_not_freed(const nw_device_t *device, CUresult result)
{
    bool own = result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED;
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_DEINITIALIZED && !nw_is_dying())
        nw_log(own ? NW_LOG_WARNING : NW_LOG_INFO, "device %d: memory could not be freed: %s", device->number,
               nw_cuda_words(result));
}

static void to_driver(void *context, void *block, size_t size)
{
    nw_cuda_gpu_t *gpu = context;
    (void)size;
    /* In a child process the memory is its parent's. */
    if (nw_cuda_backend_status() == NW_ERR_FORKED)
        return;
    CUresult result = nw_cuda_enter(gpu);
    if (result == CUDA_SUCCESS && gpu->ordered_memory)
        result = nw_cuda.cuMemFreeAsync((CUdeviceptr)block, gpu->memory_stream);
    else if (result == CUDA_SUCCESS)
        result = nw_cuda_transfer_free(gpu, (CUdeviceptr)block);
    report_not_freed(gpu->device, result);
}

/* A pool of our own, so that the program's use of the default one is its business. Without one, the default is used. */
static void make_pool(nw_cuda_gpu_t *gpu)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .handleTypes = CU_MEM_HANDLE_TYPE_NONE,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = gpu->handle}};
    uint64_t keep = UINT64_MAX;
    if (!nw_cuda.cuMemPoolCreate || !nw_cuda.cuMemPoolDestroy || !nw_cuda.cuMemPoolSetAttribute ||
        !nw_cuda.cuMemAllocFromPoolAsync || nw_cuda.cuMemPoolCreate(&gpu->memory_pool, &properties) != CUDA_SUCCESS) {
        gpu->memory_pool = NULL;
        return;
    }
    /* What has been freed stays the pool's until there is need: a large array is not mapped anew in each round. */
    if (nw_cuda.cuMemPoolSetAttribute(gpu->memory_pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep) != CUDA_SUCCESS)
        nw_log(NW_LOG_INFO, "device %d: the driver keeps no freed memory", gpu->device->number);
}

nw_status_t nw_cuda_memory_open(nw_cuda_gpu_t *gpu)
{
    int supported = 0;
    size_t total;
    if (nw_cuda.cuMemGetInfo(&gpu->memory_at_open, &total) != CUDA_SUCCESS)
        gpu->memory_at_open = 0;
    /* Another program may take some, and not every byte can be had. */
    gpu->memory_at_open -= gpu->memory_at_open / 8;
    nw_buffer_pool_init(&gpu->device->pool, from_driver, to_driver, gpu, (size_t)nw_settings.pool_limit << 20);
    pthread_mutex_init(&gpu->memory_lock, NULL);
    gpu->ordered_memory =
        nw_settings.cuda_pool && nw_cuda.cuMemAllocAsync && nw_cuda.cuMemFreeAsync &&
        nw_cuda.cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, gpu->handle) ==
            CUDA_SUCCESS &&
        supported;
    if (!gpu->ordered_memory)
        return NW_OK;
    CUresult result = nw_cuda.cuStreamCreate(&gpu->memory_stream, CU_STREAM_NON_BLOCKING);
    if (result != CUDA_SUCCESS)
        return nw_cuda_failed(result, "cuStreamCreate", "no stream for memory");
    make_pool(gpu);
    return NW_OK;
}

size_t nw_cuda_memory_left(const nw_device_t *device)
{
    size_t whole = nw_cuda_gpu_of(device)->memory_at_open;
    size_t live = atomic_load_explicit(&device->pool.live, memory_order_relaxed);
    return live < whole ? whole - live : 0;
}

bool nw_cuda_is_busy(const nw_device_t *device)
{
    return atomic_load_explicit(&nw_cuda_gpu_of(device)->in_flight, memory_order_relaxed) > 0 ||
           nw_cuda_progress_has_parked() || nw_cuda_transfer_has_work();
}

void nw_cuda_memory_trim(nw_cuda_gpu_t *gpu)
{
    nw_buffer_pool_trim(&gpu->device->pool);
    if (gpu->memory_pool && nw_cuda.cuMemPoolTrimTo)
        (void)nw_cuda.cuMemPoolTrimTo(gpu->memory_pool, 0);
}

void nw_cuda_memory_close(nw_cuda_gpu_t *gpu)
{
    nw_buffer_pool_destroy(&gpu->device->pool);
    if (gpu->memory_stream) {
        (void)nw_cuda.cuStreamSynchronize(gpu->memory_stream);
        (void)nw_cuda.cuStreamDestroy(gpu->memory_stream);
    }
    /* What the program has left mapped at its end is in that pool, and goes with the process. */
    if (gpu->memory_pool && atomic_load_explicit(&gpu->device->pool.live, memory_order_relaxed) == 0)
        (void)nw_cuda.cuMemPoolDestroy(gpu->memory_pool);
    gpu->memory_stream = NULL;
    gpu->memory_pool = NULL;
    pthread_mutex_destroy(&gpu->memory_lock);
}

void *nw_cuda_alloc(nw_device_t *device, size_t size)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    if (nw_cuda_backend_status() == NW_ERR_FORKED)
        return NULL;
    void *block = nw_buffer_pool_alloc(&device->pool, size);
    if (block)
        return block;
    if (atomic_load_explicit(&gpu->failure, memory_order_relaxed)) {
        nw_cuda_progress_blame();
        return NULL;
    }
    /* The driver may hold on to what has been freed. */
    nw_cuda_memory_trim(gpu);
    return nw_buffer_pool_alloc(&device->pool, size);
}

void *nw_cuda_alloc_reachable(nw_device_t *device, size_t size, nw_reachable_t kind)
{
    void *pinned = NULL;
    CUdeviceptr managed = 0;
    if (nw_cuda_enter(nw_cuda_gpu_of(device)) != CUDA_SUCCESS)
        return NULL;
    if (kind == NW_REACHABLE_SHARED)
        return nw_cuda.cuMemAllocManaged(&managed, size, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS
                   ? (void *)(uintptr_t)managed
                   : NULL;
    CUresult result = nw_cuda.cuMemHostAlloc(&pinned, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    return result == CUDA_SUCCESS ? pinned : NULL;
}

void nw_cuda_free_reachable(nw_device_t *device, void *address, nw_reachable_t kind)
{
    CUresult result = nw_cuda_enter(nw_cuda_gpu_of(device));
    if (result == CUDA_SUCCESS)
        result = kind == NW_REACHABLE_SHARED ? nw_cuda.cuMemFree((CUdeviceptr)(uintptr_t)address)
                                             : nw_cuda.cuMemFreeHost(address);
    report_not_freed(device, result);
}

nw_status_t nw_cuda_health(nw_device_t *device)
{
    if (nw_cuda_backend_status() == NW_ERR_FORKED)
        return NW_ERR_FORKED;
    return nw_cuda_status((CUresult)atomic_load_explicit(&nw_cuda_gpu_of(device)->failure, memory_order_relaxed));
}

void nw_cuda_free(nw_device_t *device, void *address, size_t size)
{
    nw_buffer_pool_free(&device->pool, address, size);
}
