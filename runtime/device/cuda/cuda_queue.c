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

/* A stream of the program's. */
typedef struct nw_cuda_queue {
    CUstream handle;
    struct nw_cuda_queue *next;
} nw_cuda_queue_t;

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
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    nw_cuda_queue_t *queue = malloc(sizeof *queue);
    if (!queue)
        return NW_ERR_NO_MEMORY;
    CUresult result = nw_cuda_enter(gpu);
    if (result == CUDA_SUCCESS)
        result = nw_cuda.cuStreamCreate(&queue->handle, CU_STREAM_NON_BLOCKING);
    if (result != CUDA_SUCCESS) {
        free(queue);
        return nw_cuda_failed(result, "cuStreamCreate", "no stream for an interop object");
    }
    *queue_p = queue->handle;
    pthread_mutex_lock(&gpu->queues_lock);
    queue->next = gpu->queues;
    gpu->queues = queue;
    atomic_fetch_add_explicit(&gpu->n_queues, 1, memory_order_relaxed);
    pthread_mutex_unlock(&gpu->queues_lock);
    return NW_OK;
}

static void forget(nw_cuda_gpu_t *gpu, CUstream handle)
{
    pthread_mutex_lock(&gpu->queues_lock);
    nw_cuda_queue_t **link = &gpu->queues;
    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    nw_cuda_queue_t *queue = *link;
    if (queue) {
        *link = queue->next;
        atomic_fetch_sub_explicit(&gpu->n_queues, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&gpu->queues_lock);
    free(queue);
}

void nw_cuda_queue_close(nw_device_t *device, void *queue)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    forget(gpu, queue);
    if (nw_cuda_enter(gpu) == CUDA_SUCCESS)
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
        nw_cuda_queue_count(&notice->work);
        nw_cuda_progress_watch(&notice->work);
    }
    return result;
}

nw_status_t nw_cuda_queue_notify(nw_device_t *device, void *queue, void (*over)(void *argument, nw_status_t status),
                                 void *argument, _Atomic uint32_t *on_device)
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
    notice->work.on_device = on_device;
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

/* Has the program's stream wait for what is in another now. The event serves one such wait after the other: each is for
 * the record before it. */
static CUresult follow_stream(CUstream queue, CUstream stream, CUevent event, const char **call_p)
{
    *call_p = "cuEventRecord";
    CUresult result = nw_cuda.cuEventRecord(event, stream);
    if (result != CUDA_SUCCESS)
        return result;
    *call_p = "cuStreamWaitEvent";
    return nw_cuda.cuStreamWaitEvent(queue, event, CU_EVENT_WAIT_DEFAULT);
}

/* Has the program's stream wait for what is in those of the GPU now, and in the program's others. */
static CUresult follow_gpu(CUstream queue, nw_cuda_gpu_t *gpu, const char **call_p)
{
    CUevent event;
    *call_p = "cuEventCreate";
    CUresult result = nw_cuda_enter(gpu);
    if (result == CUDA_SUCCESS)
        result = nw_cuda.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS)
        return result;
    uint32_t n = atomic_load_explicit(&gpu->n_streams, memory_order_acquire);
    for (uint32_t i = 0; i < n && result == CUDA_SUCCESS; i++) {
        nw_cuda_stream_t *stream = &gpu->streams[i];
        if (atomic_load_explicit(&stream->in_flight, memory_order_acquire) > 0)
            result = follow_stream(queue, stream->handle, event, call_p);
    }
    pthread_mutex_lock(&gpu->queues_lock);
    for (const nw_cuda_queue_t *other = gpu->queues; other && result == CUDA_SUCCESS; other = other->next) {
        if (other->handle != queue)
            result = follow_stream(queue, other->handle, event, call_p);
    }
    pthread_mutex_unlock(&gpu->queues_lock);
    (void)nw_cuda.cuEventDestroy(event);
    return result;
}

nw_status_t nw_cuda_queue_follow(nw_device_t *device, void *queue)
{
    (void)device;
    nw_cuda_gpu_t *gpu;
    const char *call = NULL;
    CUresult result = CUDA_SUCCESS;
    for (int i = 0; result == CUDA_SUCCESS && (gpu = nw_cuda_gpu_at(i)); i++) {
        if (atomic_load_explicit(&gpu->n_queues, memory_order_relaxed) > 0)
            result = follow_gpu(queue, gpu, &call);
    }
    return result == CUDA_SUCCESS ? NW_OK : nw_cuda_failed(result, call, "a stream of the program's cannot wait");
}
