/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_stream.h"

#include <stdlib.h>

#include "device/cuda/cuda_trace.h"
#include "support/log.h"
#include "support/settings.h"

#define FIRST_STREAMS 32u
/* How many streams are looked at for an idle one. */
#define PROBES 8u
/* What a stream takes before more works are held back: the driver's own queues are short, and make the caller wait. */
#define MOST_WORKS NW_CUDA_STREAM_EVENTS

static CUresult make_stream(nw_cuda_gpu_t *gpu, nw_cuda_stream_t *stream, uint32_t index)
{
    CUresult result = nw_cuda.cuStreamCreate(&stream->handle, CU_STREAM_NON_BLOCKING);
    if (result != CUDA_SUCCESS)
        return result;
    stream->gpu = gpu;
    stream->word = &gpu->words_memory[index];
    atomic_store_explicit(stream->word, 0, memory_order_relaxed);
    if (gpu->words)
        stream->word_address = gpu->words_address + index * sizeof *stream->word;
    pthread_mutex_init(&stream->lock, NULL);
    return CUDA_SUCCESS;
}

/* The GPU can write words if it does so. */
static bool try_words(nw_cuda_gpu_t *gpu)
{
    nw_cuda_stream_t *stream = &gpu->transfer[0];
    uint32_t ticket;
    if (nw_settings.cuda_completion == NW_CUDA_COMPLETION_EVENT || !nw_cuda.cuStreamWriteValue32 ||
        nw_cuda.cuMemHostGetDevicePointer(&gpu->words_address, (void *)gpu->words_memory, 0) != CUDA_SUCCESS)
        return false;
    stream->word_address = gpu->words_address;
    gpu->words = true;
    gpu->words = nw_cuda_stream_mark(stream, &ticket) == CUDA_SUCCESS &&
                 nw_cuda.cuStreamSynchronize(stream->handle) == CUDA_SUCCESS &&
                 atomic_load_explicit(stream->word, memory_order_acquire) == ticket;
    return gpu->words;
}

nw_status_t nw_cuda_streams_open(nw_cuda_gpu_t *gpu)
{
    gpu->most_streams = (uint32_t)nw_settings.cuda_streams;
    gpu->streams = calloc(gpu->most_streams, sizeof *gpu->streams);
    if (!gpu->streams)
        return NW_ERR_NO_MEMORY;
    pthread_mutex_init(&gpu->grow_lock, NULL);
    void *words;
    CUresult result = nw_cuda.cuMemHostAlloc(&words, (gpu->most_streams + NW_CUDA_LANES) * sizeof(uint32_t),
                                             CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    if (result != CUDA_SUCCESS)
        return nw_cuda_failed(result, "cuMemHostAlloc", "no host memory can be pinned");
    gpu->words_memory = words;
    for (uint32_t lane = 0; lane < NW_CUDA_LANES; lane++) {
        result = make_stream(gpu, &gpu->transfer[lane], lane);
        if (result != CUDA_SUCCESS)
            return nw_cuda_failed(result, "cuStreamCreate", "no stream");
    }
    if (!try_words(gpu))
        nw_log(NW_LOG_INFO, "device %d: completion is found by events", gpu->device->number);
    for (uint32_t lane = 1; gpu->words && lane < NW_CUDA_LANES; lane++)
        gpu->transfer[lane].word_address = gpu->words_address + lane * sizeof *gpu->transfer[lane].word;
    uint32_t n = gpu->most_streams < FIRST_STREAMS ? gpu->most_streams : FIRST_STREAMS;
    for (uint32_t i = 0; i < n; i++) {
        result = make_stream(gpu, &gpu->streams[i], i + NW_CUDA_LANES);
        if (result != CUDA_SUCCESS && i == 0)
            return nw_cuda_failed(result, "cuStreamCreate", "no stream");
        if (result != CUDA_SUCCESS)
            break;
        atomic_store_explicit(&gpu->n_streams, i + 1, memory_order_release);
    }
    return NW_OK;
}

static void close_stream(nw_cuda_stream_t *stream)
{
    if (!stream->handle)
        return;
    (void)nw_cuda.cuStreamDestroy(stream->handle);
    nw_cuda_trace_close(stream);
    for (unsigned i = 0; i < NW_CUDA_STREAM_EVENTS; i++) {
        if (stream->events[i])
            (void)nw_cuda.cuEventDestroy(stream->events[i]);
    }
    pthread_mutex_destroy(&stream->lock);
    *stream = (nw_cuda_stream_t){0};
}

void nw_cuda_streams_close(nw_cuda_gpu_t *gpu)
{
    uint32_t n = atomic_load_explicit(&gpu->n_streams, memory_order_relaxed);
    for (uint32_t i = 0; i < n; i++)
        close_stream(&gpu->streams[i]);
    for (uint32_t lane = 0; lane < NW_CUDA_LANES; lane++)
        close_stream(&gpu->transfer[lane]);
    atomic_store_explicit(&gpu->n_streams, 0, memory_order_relaxed);
    if (gpu->words_memory)
        (void)nw_cuda.cuMemFreeHost((void *)gpu->words_memory);
    gpu->words_memory = NULL;
    free(gpu->streams);
    gpu->streams = NULL;
    pthread_mutex_destroy(&gpu->grow_lock);
}

/* Makes one more stream and returns it locked; NULL at the limit, or if another thread is making one. */
static nw_cuda_stream_t *grow(nw_cuda_gpu_t *gpu)
{
    if (pthread_mutex_trylock(&gpu->grow_lock) != 0)
        return NULL;
    nw_cuda_stream_t *stream = NULL;
    uint32_t n = atomic_load_explicit(&gpu->n_streams, memory_order_relaxed);
    if (n < gpu->most_streams && make_stream(gpu, &gpu->streams[n], n + NW_CUDA_LANES) == CUDA_SUCCESS) {
        stream = &gpu->streams[n];
        pthread_mutex_lock(&stream->lock);
        /* Release: who sees the number sees the stream. */
        atomic_store_explicit(&gpu->n_streams, n + 1, memory_order_release);
    }
    pthread_mutex_unlock(&gpu->grow_lock);
    return stream;
}

nw_cuda_stream_t *nw_cuda_stream_acquire(nw_cuda_gpu_t *gpu)
{
    uint32_t n = atomic_load_explicit(&gpu->n_streams, memory_order_acquire);
    uint32_t start = atomic_fetch_add_explicit(&gpu->next_stream, 1, memory_order_relaxed);
    for (uint32_t i = 0; i < PROBES; i++) {
        nw_cuda_stream_t *stream = &gpu->streams[(start + i) % n];
        if (atomic_load_explicit(&stream->in_flight, memory_order_relaxed) == 0 &&
            pthread_mutex_trylock(&stream->lock) == 0)
            return stream;
    }
    nw_cuda_stream_t *stream = n < gpu->most_streams ? grow(gpu) : NULL;
    if (stream)
        return stream;
    for (uint32_t i = 0; i < n; i++) {
        stream = &gpu->streams[(start + i) % n];
        if (atomic_load_explicit(&stream->in_flight, memory_order_relaxed) >= MOST_WORKS)
            continue;
        pthread_mutex_lock(&stream->lock);
        if (atomic_load_explicit(&stream->in_flight, memory_order_relaxed) < MOST_WORKS)
            return stream;
        pthread_mutex_unlock(&stream->lock);
    }
    return NULL;
}

static CUresult mark_by_event(nw_cuda_stream_t *stream, uint32_t ticket)
{
    CUevent *event = &stream->events[ticket % NW_CUDA_STREAM_EVENTS];
    CUresult result = CUDA_SUCCESS;
    if (!*event)
        result = nw_cuda.cuEventCreate(event, CU_EVENT_DISABLE_TIMING);
    return result == CUDA_SUCCESS ? nw_cuda.cuEventRecord(*event, stream->handle) : result;
}

CUresult nw_cuda_stream_mark(nw_cuda_stream_t *stream, uint32_t *ticket_p)
{
    uint32_t ticket = stream->issued + 1;
    /* The write comes after everything that the stream has done, and after that is visible to the host. */
    CUresult result = stream->gpu->words
                          ? nw_cuda.cuStreamWriteValue32(stream->handle, stream->word_address, ticket,
                                                         CU_STREAM_WRITE_VALUE_DEFAULT)
                          : mark_by_event(stream, ticket);
    if (result == CUDA_SUCCESS)
        *ticket_p = stream->issued = ticket;
    return result;
}

CUresult nw_cuda_stream_look(nw_cuda_stream_t *stream, uint32_t ticket)
{
    if (!stream->gpu->words) {
        CUresult result = nw_cuda_enter(stream->gpu);
        return result == CUDA_SUCCESS ? nw_cuda.cuEventQuery(stream->events[ticket % NW_CUDA_STREAM_EVENTS]) : result;
    }
    /* Acquire: what the work has written is visible too. Tickets wrap around. */
    uint32_t word = atomic_load_explicit(stream->word, memory_order_acquire);
    return (int32_t)(word - ticket) >= 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
