/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_work.h"

#include <limits.h>
#include <string.h>

#include "device/cuda/cuda_backend.h"
#include "device/cuda/cuda_launch.h"
#include "device/cuda/cuda_memory.h"
#include "device/cuda/cuda_move.h"
#include "device/cuda/cuda_progress.h"
#include "device/cuda/cuda_queue.h"
#include "device/cuda/cuda_stream.h"
#include "device/cuda/cuda_trace.h"
#include "device/cuda/cuda_transfer.h"
#include "support/log.h"
#include "support/settings.h"

/* Most pieces of data that a work copies each way by itself. */
#define MOST_PIECES 32u

/* Bytes of a firstprivate variable that wait for their work to be submitted. */
typedef struct value {
    struct value *next;
    char *device;
    size_t size;
    char bytes[];
} value_t;

/* Where a piece of the work's block goes when the work is over. */
typedef struct copy_out {
    char *host;
    size_t offset, size; /* in the block */
} copy_out_t;

/* Begins the pinned block of a work whose commands are in a stream. */
typedef struct block {
    size_t size;
    uint32_t n_out;
    uint32_t reserved;
    copy_out_t out[];
} block_t;

/* Copies of one direction, decided before anything goes into the stream. */
typedef struct plan {
    nw_chunk_t pieces[MOST_PIECES];
    bool pinned[MOST_PIECES];
    uint32_t n;
    size_t staged; /* bytes */
    bool large;    /* for a transfer thread */
} plan_t;

/* What goes into the stream for one work. */
typedef struct dispatch {
    nw_work_t *work;
    nw_cuda_gpu_t *gpu;
    CUstream stream;
    block_t *block;
    size_t used; /* of the block */
    const char *call;
    bool is_waited_for; /* by the calling thread */
    bool is_kept;       /* it looks for the end */
    plan_t in, out;
} dispatch_t;

static size_t align(size_t size)
{
    return (size + 15) / 16 * 16;
}

bool nw_cuda_is_pinned(const nw_cuda_gpu_t *gpu, const void *host, size_t size)
{
    unsigned type;
    CUdeviceptr first = (CUdeviceptr)(uintptr_t)host;
    return nw_cuda_enter(gpu) == CUDA_SUCCESS &&
           nw_cuda.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, first) == CUDA_SUCCESS &&
           nw_cuda.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, first + size - 1) == CUDA_SUCCESS;
}

static size_t most_inline(const dispatch_t *d)
{
    return d->is_waited_for ? NW_CUDA_INLINE_BYTES_WAITED : NW_CUDA_INLINE_BYTES;
}

static void make_plan(const dispatch_t *d, bool in, plan_t *plan)
{
    const nw_work_t *work = d->work;
    nw_cursor_t cursor = {0};
    nw_chunk_t chunk;
    while (in ? nw_work_peek_in(work, &cursor, &chunk) : nw_work_peek_out(work, &cursor, &chunk)) {
        if (plan->n == MOST_PIECES) {
            plan->large = true;
            return;
        }
        bool pinned = chunk.size >= NW_CUDA_LOOK_UP_BYTES && nw_cuda_is_pinned(d->gpu, chunk.host, chunk.size);
        plan->pieces[plan->n] = chunk;
        plan->pinned[plan->n++] = pinned;
        if (!pinned)
            plan->staged += align(chunk.size);
        if (plan->staged > most_inline(d)) {
            plan->large = true;
            return;
        }
    }
}

/* Copies within devices: few, without ranges that overlap, go into the stream at once. */
static bool moves_are_simple(const nw_work_t *work)
{
    nw_cursor_t cursor = {0};
    nw_move_t move;
    uint32_t n = 0;
    while (nw_work_peek_move(work, &cursor, &move)) {
        if (++n > MOST_PIECES || nw_cuda_move_overlaps(&move))
            return false;
    }
    return true;
}

static CUresult put_moves(dispatch_t *d)
{
    nw_cursor_t cursor = {0};
    nw_move_t move;
    CUresult result = CUDA_SUCCESS;
    while (result == CUDA_SUCCESS && nw_work_next_move(d->work, &cursor, &move))
        result = nw_cuda_move(d->gpu, d->stream, &move, NULL, &d->call);
    return result;
}

nw_status_t nw_cuda_stage(nw_device_t *device, nw_work_t *work, void *to_device, const void *from_host, size_t size)
{
    value_t *value = nw_buffer_pool_alloc(&nw_cuda_gpu_of(device)->values, sizeof *value + size);
    if (!value)
        return NW_ERR_NO_MEMORY;
    value->device = to_device;
    value->size = size;
    memcpy(value->bytes, from_host, size);
    value->next = NULL;
    if (work->state.values)
        ((value_t *)work->state.last_value)->next = value;
    else
        work->state.values = value;
    work->state.last_value = value;
    return NW_OK;
}

bool nw_cuda_work_next_value(const nw_work_t *work, void **value_p, nw_chunk_t *chunk_p)
{
    value_t *value = *value_p ? ((value_t *)*value_p)->next : work->state.values;
    if (!value)
        return false;
    *value_p = value;
    *chunk_p = (nw_chunk_t){.host = value->bytes, .device = value->device, .size = value->size};
    return true;
}

void nw_cuda_work_free_values(nw_work_t *work)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(work->device);
    value_t *value = work->state.values;
    work->state.values = NULL;
    while (value) {
        value_t *next = value->next;
        nw_buffer_pool_free(&gpu->values, value, sizeof *value + value->size);
        value = next;
    }
}

static size_t values_size(const nw_work_t *work)
{
    size_t size = 0;
    for (const value_t *value = work->state.values; value; value = value->next)
        size += align(value->size);
    return size;
}

/* Takes what the work needs; NW_IN_PROGRESS if some of it is not there now. */
static nw_status_t take_room(dispatch_t *d)
{
    nw_work_t *work = d->work;
    size_t memory = nw_cuda_launch_memory_size(work);
    size_t size = values_size(work) + d->in.staged + d->out.staged + d->out.n * sizeof(copy_out_t) +
                  (memory ? sizeof(nw_cuda_launch_environment_t) : 0);
    if (memory && !work->state.memory) {
        work->state.memory = nw_cuda_alloc(work->device, memory);
        work->state.memory_size = memory;
        if (!work->state.memory) {
            work->failure = "no memory for the reduction between teams";
            work->failed_call = "cuMemAlloc";
            return NW_ERR_DEVICE_MEMORY;
        }
    }
    if (size == 0)
        return NW_OK;
    size += sizeof(block_t);
    block_t *block = work->state.buffers;
    if (block && block->size < size) {
        nw_cuda_staging_give(&d->gpu->staging, block);
        block = work->state.buffers = NULL;
    }
    if (!block) {
        block = nw_cuda_staging_take(&d->gpu->staging, size);
        if (!block) {
            nw_cuda_transfer_grow(d->gpu);
            return NW_IN_PROGRESS;
        }
        block->size = size;
        work->state.buffers = block;
    }
    block->n_out = 0;
    d->block = block;
    d->used = align(sizeof *block + d->out.n * sizeof(copy_out_t));
    return NW_OK;
}

/* Copies bytes into the block and has the GPU fetch them. */
static CUresult send(dispatch_t *d, char *device, const void *bytes, size_t size)
{
    char *staged = (char *)d->block + d->used;
    memcpy(staged, bytes, size);
    d->used += align(size);
    d->call = "cuMemcpyHtoDAsync";
    return nw_cuda.cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)device, staged, size, d->stream);
}

/* A tool hears of the planned copies as they go into the stream. */
static void tell_next(const dispatch_t *d, bool in, nw_cursor_t *cursor)
{
    nw_chunk_t chunk;
    if (NW_LIKELY(!d->work->tool))
        return;
    if (in)
        (void)nw_work_next_in(d->work, cursor, &chunk);
    else
        (void)nw_work_next_out(d->work, cursor, &chunk);
}

static CUresult copy_in(dispatch_t *d)
{
    nw_cursor_t told = {0};
    CUresult result = CUDA_SUCCESS;
    for (const value_t *value = d->work->state.values; value && result == CUDA_SUCCESS; value = value->next)
        result = send(d, value->device, value->bytes, value->size);
    for (uint32_t i = 0; i < d->in.n && result == CUDA_SUCCESS; i++) {
        const nw_chunk_t *piece = &d->in.pieces[i];
        tell_next(d, true, &told);
        d->call = "cuMemcpyHtoDAsync";
        result = d->in.pinned[i] ? nw_cuda.cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)piece->device, piece->host,
                                                             piece->size, d->stream)
                                 : send(d, piece->device, piece->host, piece->size);
    }
    if (d->in.n > 0)
        tell_next(d, true, &told);
    return result;
}

static CUresult launch(dispatch_t *d)
{
    if (!d->work->has_kernel)
        return CUDA_SUCCESS;
    if (d->work->state.memory) {
        nw_cuda_launch_environment_t environment = nw_cuda_launch_environment(d->work);
        CUresult result = send(d, d->work->state.memory, &environment, sizeof environment);
        if (result != CUDA_SUCCESS)
            return result;
    }
    nw_work_launch_begins(d->work);
    CUresult result = nw_cuda_launch(d->gpu, d->work, d->stream, &d->call);
    nw_work_launch_ends(d->work);
    return result;
}

static CUresult copy_out(dispatch_t *d)
{
    nw_cursor_t told = {0};
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < d->out.n && result == CUDA_SUCCESS; i++) {
        const nw_chunk_t *piece = &d->out.pieces[i];
        tell_next(d, false, &told);
        char *to = piece->host;
        if (!d->out.pinned[i]) {
            to = (char *)d->block + d->used;
            d->block->out[d->block->n_out++] = (copy_out_t){piece->host, d->used, piece->size};
            d->used += align(piece->size);
        }
        d->call = "cuMemcpyDtoHAsync";
        result = nw_cuda.cuMemcpyDtoHAsync(to, (CUdeviceptr)(uintptr_t)piece->device, piece->size, d->stream);
    }
    if (d->out.n > 0)
        tell_next(d, false, &told);
    return result;
}

static size_t copied_bytes(const plan_t *plan)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < plan->n; i++)
        bytes += plan->pieces[i].size;
    return bytes;
}

/* What put_commands puts there; `part` has just been, `bytes` were copied in it. */
static inline void put_mark(const dispatch_t *d, nw_cuda_stream_t *stream, nw_cuda_part_t part)
{
    if (NW_LIKELY(!d->work->trace.op))
        return;
    size_t bytes = part == NW_CUDA_PART_IN    ? copied_bytes(&d->in) + values_size(d->work)
                   : part == NW_CUDA_PART_OUT ? copied_bytes(&d->out)
                                              : 0;
    nw_cuda_trace_mark(stream, part, bytes);
}

/* Puts all commands of the work into its stream, whose lock is held. *launched_p: the kernel is among them. */
static CUresult put_commands(dispatch_t *d, nw_cuda_stream_t *stream, bool *launched_p)
{
    d->call = "cuCtxSetCurrent";
    CUresult result = nw_cuda_enter(d->gpu);
    put_mark(d, stream, NW_CUDA_PART_BEGIN);
    if (result == CUDA_SUCCESS && NW_UNLIKELY(d->work->moves && !(d->work->state.phase & NW_CUDA_COPIED_IN)))
        result = put_moves(d);
    if (result == CUDA_SUCCESS)
        result = copy_in(d);
    put_mark(d, stream, NW_CUDA_PART_IN);
    if (result == CUDA_SUCCESS)
        result = launch(d);
    put_mark(d, stream, NW_CUDA_PART_KERNEL);
    *launched_p = result == CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        result = copy_out(d);
    put_mark(d, stream, NW_CUDA_PART_OUT);
    if (result == CUDA_SUCCESS) {
        d->call = d->gpu->words ? "cuStreamWriteValue32" : "cuEventRecord";
        result = nw_cuda_stream_mark(stream, &d->work->state.ticket);
    }
    return result;
}

/* The work, whose mark is in the stream, becomes the progress thread's, unless it is kept. It may be over, and gone, at
 * once. The stream's lock is held. */
static void watch(nw_work_t *work, nw_cuda_stream_t *stream, bool is_kept)
{
    work->state.queue = stream;
    bool alone = atomic_fetch_add_explicit(&stream->in_flight, 1, memory_order_relaxed) == 0;
    if (!is_kept)
        nw_cuda_progress_watch(work);
    else if (alone)
        work->state.phase |= NW_CUDA_ALONE;
}

/*
 * The kernel found no memory, which other works may give back. What has gone into the stream uses the work's data and
 * its block until it is over: the work waits for that before it is tried again, in whatever stream. The stream's lock
 * is held.
 */
static bool try_again_later(const dispatch_t *d, nw_cuda_stream_t *stream)
{
    if (atomic_load_explicit(&d->gpu->in_flight, memory_order_acquire) <= 1 ||
        nw_cuda_stream_mark(stream, &d->work->state.ticket) != CUDA_SUCCESS)
        return false;
    d->work->state.phase |= NW_CUDA_AGAIN;
    watch(d->work, stream, false);
    return true;
}

static nw_status_t put_into_stream(dispatch_t *d)
{
    nw_work_t *work = d->work;
    nw_cuda_gpu_t *gpu = d->gpu;
    bool launched;
    nw_cuda_stream_t *stream = nw_cuda_stream_acquire(gpu);
    if (!stream)
        return NW_IN_PROGRESS;
    d->stream = stream->handle;
    CUresult result = put_commands(d, stream, &launched);
    if (NW_LIKELY(result == CUDA_SUCCESS)) {
        nw_cuda_work_free_values(work);
        if (d->out.large)
            work->state.phase |= NW_CUDA_COPY_OUT;
        if (NW_UNLIKELY(atomic_load_explicit(&gpu->n_queues, memory_order_relaxed) > 0) && !d->out.large &&
            !(d->block && d->block->n_out > 0))
            nw_cuda_queue_count(work);
        /* A trace reads the marks of a stream in turn, which is the progress thread's to do. */
        d->is_kept = d->is_waited_for && !work->trace.op;
        watch(work, stream, d->is_kept);
        pthread_mutex_unlock(&stream->lock);
        return NW_OK;
    }
    nw_status_t status = nw_cuda_note(work, result, d->call);
    /* A launch may need memory of the driver's own. */
    if (status == NW_ERR_DEVICE_MEMORY)
        nw_cuda_memory_trim(gpu);
    bool again = status == NW_ERR_DEVICE_MEMORY && !launched && try_again_later(d, stream);
    pthread_mutex_unlock(&stream->lock);
    if (again)
        return NW_OK;
    if (status != NW_ERR_DEVICE_MEMORY)
        nw_cuda_progress_blame();
    return status;
}

/* nw_cuda_work_start. is_kept_p: NULL, or the calling thread waits for the work; whether its end is its to look for. */
static nw_status_t start(nw_work_t *work, bool *is_kept_p)
{
    dispatch_t d;
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(work->device);
    d.work = work;
    d.gpu = gpu;
    d.block = NULL;
    d.is_waited_for = is_kept_p != NULL;
    d.is_kept = false;
    d.in.n = d.out.n = 0;
    d.in.staged = d.out.staged = 0;
    d.in.large = d.out.large = false;
    if (work->copies_in && !(work->state.phase & NW_CUDA_COPIED_IN))
        make_plan(&d, true, &d.in);
    if (work->moves && !(work->state.phase & NW_CUDA_COPIED_IN) && !moves_are_simple(work))
        d.in.large = true;
    if (d.in.staged + values_size(work) > most_inline(&d))
        d.in.large = true;
    if (d.in.large) {
        nw_cuda_transfer_push(work);
        return NW_OK;
    }
    if (NW_UNLIKELY(work->brings_data) && d.in.n > 0)
        atomic_store_explicit(&work->data_comes_late, true, memory_order_relaxed);
    if (work->copies_out)
        make_plan(&d, false, &d.out);
    if (d.out.large) {
        d.out.n = 0;
        d.out.staged = 0;
    }
    uint32_t before = atomic_fetch_add_explicit(&gpu->in_flight, 1, memory_order_acq_rel);
    nw_status_t status = before >= (uint32_t)nw_settings.cuda_queue ? NW_IN_PROGRESS : take_room(&d);
    if (status == NW_ERR_DEVICE_MEMORY && before > 0)
        status = NW_IN_PROGRESS;
    if (status == NW_OK)
        status = put_into_stream(&d);
    if (status != NW_OK)
        atomic_fetch_sub_explicit(&gpu->in_flight, 1, memory_order_release);
    if (is_kept_p)
        *is_kept_p = d.is_kept;
    return status;
}

nw_status_t nw_cuda_work_start(nw_work_t *work)
{
    return start(work, NULL);
}

static void begin(nw_work_t *work, bool *is_kept_p)
{
    nw_status_t status = nw_cuda_progress_has_parked() ? NW_IN_PROGRESS : start(work, is_kept_p);
    if (status == NW_IN_PROGRESS)
        nw_cuda_progress_park(work);
    else if (status != NW_OK)
        nw_cuda_work_end(work, status);
}

void nw_cuda_work_begin(nw_work_t *work)
{
    begin(work, NULL);
}

/* Frees what the stream's commands used. */
static void release(nw_work_t *work, bool copy)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(work->device);
    block_t *block = work->state.buffers;
    if (block) {
        for (uint32_t i = 0; copy && i < block->n_out; i++)
            memcpy(block->out[i].host, (char *)block + block->out[i].offset, block->out[i].size);
        nw_cuda_staging_give(&gpu->staging, block);
        work->state.buffers = NULL;
    }
    if (work->state.memory)
        nw_cuda_free(work->device, work->state.memory, work->state.memory_size);
    work->state.memory = NULL;
    nw_cuda_work_free_values(work);
}

void nw_cuda_work_passed(nw_work_t *work, CUresult result)
{
    nw_cuda_stream_t *stream = work->state.queue;
    nw_cuda_gpu_t *gpu = stream->gpu;
    nw_status_t status = nw_cuda_note(work, result, stream->gpu->words ? "cuStreamQuery" : "cuEventQuery");
    bool again = NW_UNLIKELY(work->state.phase & NW_CUDA_AGAIN) && status == NW_OK;
    nw_cuda_queue_uncount(work);
    if (NW_LIKELY(status == NW_OK && !again))
        release(work, true);
    bool copy_out = status == NW_OK && !again && (work->state.phase & NW_CUDA_COPY_OUT);
    atomic_fetch_sub_explicit(&stream->in_flight, 1, memory_order_release);
    /* Before it counts less: at the end of the program somebody waits until nothing is in flight. */
    if (copy_out) {
        work->state.phase |= NW_CUDA_STREAM_OVER;
        nw_cuda_transfer_push(work);
    }
    atomic_fetch_sub_explicit(&gpu->in_flight, 1, memory_order_release);
    if (again) {
        work->state.phase &= ~(uint32_t)NW_CUDA_AGAIN;
        nw_cuda_progress_park(work);
    } else if (!copy_out) {
        work->done(work, status);
    }
}

void nw_cuda_work_end(nw_work_t *work, nw_status_t status)
{
    /* After a failure the GPU may still use the block: it is not given to another work. */
    if (status == NW_OK)
        release(work, false);
    work->done(work, status);
}

static void submit(nw_work_t *work, bool *is_kept_p)
{
    nw_status_t status = nw_cuda_backend_status();
    if (NW_LIKELY(status == NW_OK)) {
        begin(work, is_kept_p);
        if (!is_kept_p || !*is_kept_p)
            nw_cuda_backend_help();
        return;
    }
    if (status == NW_ERR_DEVICE) {
        work->failure = "the program has ended, and the GPUs have been given back";
        work->failed_call = "exit";
    }
    work->done(work, status);
}

void nw_cuda_submit(nw_device_t *device, nw_work_t *work)
{
    (void)device;
    submit(work, NULL);
}

bool nw_cuda_work_submit_kept(nw_work_t *work)
{
    bool is_kept = false;
    submit(work, &is_kept);
    return is_kept;
}
