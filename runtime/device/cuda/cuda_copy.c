/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_copy.h"

#include "device/cuda/cuda_backend.h"
#include "device/cuda/cuda_memory.h"
#include "device/cuda/cuda_move.h"

nw_status_t nw_cuda_copies_open(nw_cuda_gpu_t *gpu)
{
    pthread_mutex_init(&gpu->copy_lock, NULL);
    CUresult result = nw_cuda.cuStreamCreate(&gpu->copy_stream, CU_STREAM_NON_BLOCKING);
    return result == CUDA_SUCCESS ? NW_OK : nw_cuda_failed(result, "cuStreamCreate", "no stream for copies");
}

void nw_cuda_copies_close(nw_cuda_gpu_t *gpu)
{
    if (gpu->copy_stream)
        (void)nw_cuda.cuStreamDestroy(gpu->copy_stream);
    gpu->copy_stream = NULL;
    pthread_mutex_destroy(&gpu->copy_lock);
}

/* Enters the context and takes the stream. The plain copies of the driver would not do: they use the default stream,
 * and one from pageable memory may return before its bytes have arrived. */
static CUresult begin(nw_cuda_gpu_t *gpu)
{
    CUresult result = nw_cuda_enter(gpu);
    pthread_mutex_lock(&gpu->copy_lock);
    return result;
}

static nw_status_t end(nw_cuda_gpu_t *gpu, CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS) {
        result = nw_cuda.cuStreamSynchronize(gpu->copy_stream);
        call = "cuStreamSynchronize";
    }
    pthread_mutex_unlock(&gpu->copy_lock);
    if (result == CUDA_SUCCESS)
        return NW_OK;
    if (nw_cuda_backend_status() == NW_ERR_FORKED)
        return NW_ERR_FORKED;
    return nw_cuda_failed(result, call, "copy failed");
}

nw_status_t nw_cuda_copy_in(nw_device_t *device, void *to_device, const void *from_host, size_t size)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    CUresult result = begin(gpu);
    if (result == CUDA_SUCCESS)
        result = nw_cuda.cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)to_device, from_host, size, gpu->copy_stream);
    return end(gpu, result, "cuMemcpyHtoDAsync");
}

nw_status_t nw_cuda_copy_out(nw_device_t *device, void *to_host, const void *from_device, size_t size)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    CUresult result = begin(gpu);
    if (result == CUDA_SUCCESS)
        result = nw_cuda.cuMemcpyDtoHAsync(to_host, (CUdeviceptr)(uintptr_t)from_device, size, gpu->copy_stream);
    return end(gpu, result, "cuMemcpyDtoHAsync");
}

static nw_status_t move(nw_device_t *device, const nw_move_t *move)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    void *between = nw_cuda_move_overlaps(move) ? nw_cuda_alloc(device, move->size) : NULL;
    if (nw_cuda_move_overlaps(move) && !between)
        return nw_device_alloc_status(device);
    const char *call = "cuCtxSetCurrent";
    CUresult result = begin(gpu);
    if (result == CUDA_SUCCESS)
        result = nw_cuda_move(gpu, gpu->copy_stream, move, between, &call);
    nw_status_t status = end(gpu, result, call);
    if (between)
        nw_cuda_free(device, between, move->size);
    return status;
}

nw_status_t nw_cuda_copy_within(nw_device_t *device, void *to_device, const void *from_device, size_t size)
{
    return move(device, &(nw_move_t){.to = to_device, .from = from_device, .size = size});
}

nw_status_t nw_cuda_fill(nw_device_t *device, void *address, int byte, size_t size)
{
    return move(device, &(nw_move_t){.to = address, .byte = byte, .size = size});
}
