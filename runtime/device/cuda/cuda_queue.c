/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_queue.h"

#include <stdlib.h>

#include "device/cuda/cuda_backend.h"
#include "device/cuda/cuda_progress.h"
#include "device/cuda/cuda_stream.h"
#include "support/reason.h"

/* OpenMP's number of CUDA as a foreign runtime, and LLVM's of NVIDIA as a vendor. */
#define RUNTIME_CUDA 1
#define VENDOR_NVIDIA 11

/* A work that does nothing but come after what is in a program's stream. */
typedef struct notice {
    nw_work_t work; /* first, so that the work is the notice */
    void (*over)(void *argument, nw_status_t status);
    void *argument;
} notice_t;

void nw_cuda_foreign(nw_device_t *device, nw_foreign_t *foreign_p)
{
    const nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    /* A CUdevice is a number, and the first is 0: no pointer, but that is how it is handed out. */
    *foreign_p = (nw_foreign_t){.runtime = RUNTIME_CUDA,
                                .vendor = VENDOR_NVIDIA,
                                .device = (void *)(intptr_t)gpu->handle,
                                .context = gpu->context};
}

nw_status_t nw_cuda_queue_open(nw_device_t *device, void **queue_p)
{
    CUstream stream;
    CUresult result = nw_cuda_enter(nw_cuda_gpu_of(device));
    if (result == CUDA_SUCCESS)
        result = nw_cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (result != CUDA_SUCCESS)
        return nw_cuda_failed(result, "cuStreamCreate", "no stream for an interop object");
    *queue_p = stream;
    return NW_OK;
}

void nw_cuda_queue_close(nw_device_t *device, void *queue)
{
    if (nw_cuda_enter(nw_cuda_gpu_of(device)) == CUDA_SUCCESS)
        (void)nw_cuda.cuStreamDestroy(queue);
}

nw_status_t nw_cuda_queue_wait(nw_device_t *device, void *queue)
{
    CUresult result = nw_cuda_enter(nw_cuda_gpu_of(device));
    if (result == CUDA_SUCCESS)
        result = nw_cuda.cuStreamSynchronize(queue);
    return result == CUDA_SUCCESS ? NW_OK
                                  : nw_cuda_failed(result, "cuStreamSynchronize", "a stream of the program's failed");
}

static void notice_done(nw_work_t *work, nw_status_t status)
{
    notice_t *notice = (notice_t *)work;
    void (*over)(void *, nw_status_t) = notice->over;
    void *argument = notice->argument;
    if (status != NW_OK && work->failure)
        nw_reason_set("%s: %s (%s)", nw_status_text(status), work->failure, work->failed_call);
    free(notice);
    over(argument, status);
}

/* Has a stream of ours wait for what is in the program's now, and be watched. The stream's lock is held. */
static CUresult follow(notice_t *notice, nw_cuda_stream_t *stream, CUstream queue)
{
    CUevent event;
    CUresult result = nw_cuda.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS)
        return result;
    result = nw_cuda.cuEventRecord(event, queue);
    if (result == CUDA_SUCCESS)
        result = nw_cuda.cuStreamWaitEvent(stream->handle, event, CU_EVENT_WAIT_DEFAULT);
    /* The driver keeps it until it has happened. */
    (void)nw_cuda.cuEventDestroy(event);
    if (result == CUDA_SUCCESS)
        result = nw_cuda_stream_mark(stream, &notice->work.state.ticket);
    if (result == CUDA_SUCCESS) {
        notice->work.state.queue = stream;
        atomic_fetch_add_explicit(&stream->in_flight, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&stream->gpu->in_flight, 1, memory_order_relaxed);
        nw_cuda_progress_watch(&notice->work);
    }
    return result;
}

nw_status_t nw_cuda_queue_notify(nw_device_t *device, void *queue, void (*over)(void *argument, nw_status_t status),
                                 void *argument)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    CUresult result = nw_cuda_enter(gpu);
    if (result != CUDA_SUCCESS)
        return nw_cuda_failed(result, "cuCtxSetCurrent", "a stream of the program's cannot be followed");
    nw_cuda_stream_t *stream = nw_cuda_stream_acquire(gpu);
    if (!stream) {
        /* Every stream is full: then waiting is what is left. */
        nw_status_t status = nw_cuda_queue_wait(device, queue);
        over(argument, status);
        return NW_OK;
    }
    notice_t *notice = calloc(1, sizeof *notice);
    if (!notice) {
        pthread_mutex_unlock(&stream->lock);
        return NW_ERR_NO_MEMORY;
    }
    notice->work.device = device;
    notice->work.done = notice_done;
    notice->over = over;
    notice->argument = argument;
    result = follow(notice, stream, queue);
    pthread_mutex_unlock(&stream->lock);
    if (result == CUDA_SUCCESS) {
        /* The notice may be gone. */
        nw_cuda_backend_help();
        return NW_OK;
    }
    free(notice);
    return nw_cuda_failed(result, "cuStreamWaitEvent", "a stream of the program's cannot be followed");
}
