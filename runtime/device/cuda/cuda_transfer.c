/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_transfer.h"

#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_memory.h"
#include "device/cuda/cuda_move.h"
#include "device/cuda/cuda_progress.h"
#include "device/cuda/cuda_stream.h"
#include "device/cuda/cuda_thread.h"
#include "device/cuda/cuda_trace.h"
#include "device/cuda/cuda_work.h"
#include "device/device_thread.h"
#include "device/work_list.h"
#include "support/clock.h"
#include "support/futex.h"
#include "support/log.h"
#include "support/settings.h"

#define N_PIECES NW_CUDA_TRANSFER_PIECES
#define PIECE_SIZE NW_CUDA_LARGEST_BLOCK

/* While a piece is on its way the thread looks this long, then naps. */
#define LOOK_NS 20000
#define NAP_NS 50000
#define CHECK_NS 10000000

/* Device memory to be freed, which may wait. */
typedef struct garbage {
    struct garbage *next;
    nw_cuda_gpu_t *gpu;
    CUdeviceptr address;
} garbage_t;

/* One run of bytes of a piece. */
typedef struct run {
    char *host;
    size_t offset, size;
} run_t;

#define RUNS_PER_PIECE 64u

/* A piece on its way. */
typedef struct piece {
    char *bytes;      /* PIECE_SIZE of pinned memory */
    size_t used;
    uint32_t ticket;
    uint32_t n_runs;  /* of copies out */
    bool on_its_way;
    run_t runs[RUNS_PER_PIECE];
} piece_t;

/* The copies of one work in one direction. */
typedef struct pipeline {
    nw_cuda_gpu_t *gpu;
    nw_cuda_stream_t *stream;
    nw_work_t *work;
    bool in;
    unsigned at;
    piece_t pieces[N_PIECES];
} pipeline_t;

/* One direction's thread. */
typedef struct lane {
    _Atomic uint32_t events; /* counts what has been asked for; the thread sleeps on it */
    nw_cuda_thread_t thread;
    /* Guarded by the lock. */
    nw_work_list_t works;
    bool at_work; /* on something that it has taken out of the lists */
    /* The thread's own, or that of the one thread that is left. */
    bool copies;  /* in the pipeline */
    pipeline_t pipeline;
} lane_t;

static struct {
    pthread_mutex_t lock;
    lane_t lanes[NW_CUDA_LANES];
    garbage_t *garbage; /* the first lane's business */
    _Atomic bool stopping;
} transfer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void announce(lane_t *lane)
{
    atomic_fetch_add_explicit(&lane->events, 1, memory_order_release);
    nw_futex_wake(&lane->events, 1);
}

/* The lane whose thread this is, or NULL. */
static lane_t *own_lane(void)
{
    for (unsigned i = 0; i < NW_CUDA_LANES; i++) {
        if (nw_cuda_thread_is_current(&transfer.lanes[i].thread))
            return &transfer.lanes[i];
    }
    return NULL;
}

void nw_cuda_transfer_push(nw_work_t *work)
{
    bool out = work->state.phase & NW_CUDA_STREAM_OVER;
    lane_t *lane = &transfer.lanes[out ? NW_CUDA_LANE_OUT : NW_CUDA_LANE_IN];
    pthread_mutex_lock(&transfer.lock);
    nw_work_list_add(&lane->works, work);
    pthread_mutex_unlock(&transfer.lock);
    announce(lane);
}

void nw_cuda_transfer_grow(nw_cuda_gpu_t *gpu)
{
    if (!atomic_exchange_explicit(&gpu->wants_staging, true, memory_order_relaxed))
        announce(&transfer.lanes[0]);
}

CUresult nw_cuda_transfer_free(nw_cuda_gpu_t *gpu, CUdeviceptr address)
{
    garbage_t *garbage = malloc(sizeof *garbage);
    if (!garbage)
        return nw_cuda.cuMemFree(address);
    *garbage = (garbage_t){.gpu = gpu, .address = address};
    pthread_mutex_lock(&transfer.lock);
    garbage->next = transfer.garbage;
    transfer.garbage = garbage;
    pthread_mutex_unlock(&transfer.lock);
    announce(&transfer.lanes[0]);
    return CUDA_SUCCESS;
}

/* Waits for a ticket of the transfer stream without a blocking call: those may keep the processor busy. */
static CUresult wait_for(nw_cuda_stream_t *stream, uint32_t ticket)
{
    CUresult result;
    int64_t start = nw_clock_ns(), checked = start;
    for (unsigned looks = 1; (result = nw_cuda_stream_look(stream, ticket)) == CUDA_ERROR_NOT_READY; looks++) {
        nw_cpu_relax();
        if (looks % 64 != 0)
            continue;
        int64_t now = nw_clock_ns();
        if (now - start > LOOK_NS)
            nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
        if (now - checked > CHECK_NS) {
            checked = now;
            result = nw_cuda.cuStreamQuery(stream->handle);
            if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
                return result;
        }
    }
    return result;
}

/* Waits until a piece is free again, and copies out what it brought. */
static nw_status_t finish_piece(pipeline_t *p, piece_t *piece)
{
    nw_status_t status = NW_OK;
    if (piece->on_its_way)
        status = nw_cuda_note(p->work, wait_for(p->stream, piece->ticket), "cuStreamQuery");
    for (uint32_t i = 0; status == NW_OK && i < piece->n_runs; i++)
        memcpy(piece->runs[i].host, piece->bytes + piece->runs[i].offset, piece->runs[i].size);
    piece->on_its_way = false;
    piece->used = 0;
    piece->n_runs = 0;
    return status;
}

/* Sends the current piece on its way and makes the next one current. */
static nw_status_t send_piece(pipeline_t *p)
{
    piece_t *piece = &p->pieces[p->at];
    nw_status_t status = nw_cuda_note(p->work, nw_cuda_stream_mark(p->stream, &piece->ticket),
                                      p->gpu->words ? "cuStreamWriteValue32" : "cuEventRecord");
    piece->on_its_way = status == NW_OK;
    p->at = (p->at + 1) % N_PIECES;
    return status == NW_OK ? finish_piece(p, &p->pieces[p->at]) : status;
}

static CUresult copy(const pipeline_t *p, char *device, char *host, size_t size)
{
    CUstream stream = p->stream->handle;
    return p->in ? nw_cuda.cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)device, host, size, stream)
                 : nw_cuda.cuMemcpyDtoHAsync(host, (CUdeviceptr)(uintptr_t)device, size, stream);
}

/* Adds up to a piece's room of a chunk. */
static nw_status_t add_run(pipeline_t *p, const nw_chunk_t *chunk, size_t *size_p)
{
    piece_t *piece = &p->pieces[p->at];
    size_t room = PIECE_SIZE - piece->used, size = *size_p < room ? *size_p : room;
    char *staged = piece->bytes + piece->used;
    if (p->in)
        memcpy(staged, chunk->host, size);
    else
        piece->runs[piece->n_runs++] = (run_t){chunk->host, piece->used, size};
    piece->used += (size + 15) / 16 * 16;
    if (piece->used > PIECE_SIZE)
        piece->used = PIECE_SIZE;
    *size_p = size;
    return nw_cuda_note(p->work, copy(p, chunk->device, staged, size),
                        p->in ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoHAsync");
}

static nw_status_t copy_chunk(pipeline_t *p, nw_chunk_t chunk)
{
    if (chunk.size >= NW_CUDA_LOOK_UP_BYTES && nw_cuda_is_pinned(p->gpu, chunk.host, chunk.size))
        return nw_cuda_note(p->work, copy(p, chunk.device, chunk.host, chunk.size),
                            p->in ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoHAsync");
    nw_status_t status = NW_OK;
    while (chunk.size > 0 && status == NW_OK) {
        size_t size = chunk.size;
        status = add_run(p, &chunk, &size);
        chunk.host += size;
        chunk.device += size;
        chunk.size -= size;
        piece_t *piece = &p->pieces[p->at];
        if (status == NW_OK && (piece->used == PIECE_SIZE || piece->n_runs == RUNS_PER_PIECE))
            status = send_piece(p);
    }
    return status;
}

/* Copies within devices, and fills; those whose ranges overlap one after the other, through memory of their own. */
static nw_status_t run_moves(pipeline_t *p)
{
    nw_device_t *device = p->work->device;
    nw_cursor_t cursor = {0};
    nw_move_t move;
    nw_status_t status = NW_OK;
    while (status == NW_OK && nw_work_next_move(p->work, &cursor, &move)) {
        const char *call = "cuMemAlloc";
        void *between = nw_cuda_move_overlaps(&move) ? nw_cuda_alloc(device, move.size) : NULL;
        if (nw_cuda_move_overlaps(&move) && !between)
            return nw_device_alloc_status(device);
        CUresult result = nw_cuda_move(p->gpu, p->stream->handle, &move, between, &call);
        status = nw_cuda_note(p->work, result, call);
        if (!between)
            continue;
        if (status == NW_OK)
            status = send_piece(p);
        for (unsigned i = 0; i < N_PIECES && status == NW_OK; i++)
            status = finish_piece(p, &p->pieces[i]);
        if (status == NW_OK)
            nw_cuda_free(device, between, move.size);
    }
    return status;
}

/* The bytes of firstprivate variables. */
static nw_status_t copy_values(pipeline_t *p)
{
    void *value = NULL;
    nw_chunk_t chunk;
    nw_status_t status = NW_OK;
    while (status == NW_OK && nw_cuda_work_next_value(p->work, &value, &chunk))
        status = copy_chunk(p, chunk);
    return status;
}

/* Copies all that the work maps in one direction; returns when it is over. */
static nw_status_t run_pipeline(pipeline_t *p)
{
    nw_work_t *work = p->work;
    nw_cursor_t cursor = {0};
    nw_chunk_t chunk;
    nw_status_t status = nw_cuda_note(work, nw_cuda_enter(p->gpu), "cuCtxSetCurrent");
    if (status == NW_OK && p->in && work->moves)
        status = run_moves(p);
    while (status == NW_OK &&
           (p->in ? nw_work_next_in(work, &cursor, &chunk) : nw_work_next_out(work, &cursor, &chunk)))
        status = copy_chunk(p, chunk);
    if (status == NW_OK && p->in)
        status = copy_values(p);
    /* The last mark comes after everything. */
    if (status == NW_OK)
        status = send_piece(p);
    for (unsigned i = 0; i < N_PIECES && status == NW_OK; i++)
        status = finish_piece(p, &p->pieces[(p->at + i) % N_PIECES]);
    return status;
}

static void serve(lane_t *lane, nw_work_t *work)
{
    pipeline_t *p = &lane->pipeline;
    size_t number = (size_t)(lane - transfer.lanes);
    bool in = number == NW_CUDA_LANE_IN;
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(work->device);
    p->gpu = gpu;
    p->stream = &gpu->transfer[number];
    p->work = work;
    p->in = in;
    p->at = 0;
    for (unsigned i = 0; i < N_PIECES; i++) {
        p->pieces[i].bytes = gpu->pieces[number][i];
        p->pieces[i].used = 0;
        p->pieces[i].n_runs = 0;
        p->pieces[i].on_its_way = false;
    }
    int64_t begin = NW_UNLIKELY(work->trace.op) ? nw_clock_ns() : 0;
    lane->copies = true;
    nw_status_t status = run_pipeline(p);
    lane->copies = false;
    if (NW_UNLIKELY(begin))
        nw_cuda_trace_copies(work, in, begin);
    if (!in || status != NW_OK) {
        nw_cuda_work_end(work, status);
        return;
    }
    nw_cuda_work_free_values(work);
    work->state.phase |= NW_CUDA_COPIED_IN;
    nw_work_data_is_there(work);
    nw_cuda_work_begin(work);
}

static nw_work_t *take(lane_t *lane)
{
    pthread_mutex_lock(&transfer.lock);
    nw_work_t *work = nw_work_list_take(&lane->works);
    lane->at_work = work != NULL;
    pthread_mutex_unlock(&transfer.lock);
    return work;
}

static bool free_garbage(lane_t *lane)
{
    pthread_mutex_lock(&transfer.lock);
    garbage_t *garbage = transfer.garbage;
    transfer.garbage = NULL;
    bool any = garbage != NULL;
    lane->at_work = any;
    pthread_mutex_unlock(&transfer.lock);
    while (garbage) {
        garbage_t *next = garbage->next;
        if (nw_cuda_enter(garbage->gpu) == CUDA_SUCCESS)
            (void)nw_cuda.cuMemFree(garbage->address);
        free(garbage);
        garbage = next;
    }
    pthread_mutex_lock(&transfer.lock);
    lane->at_work = false;
    pthread_mutex_unlock(&transfer.lock);
    return any;
}

static bool grow_staging(void)
{
    nw_cuda_gpu_t *gpu;
    bool any = false;
    for (int i = 0; (gpu = nw_cuda_gpu_at(i)); i++) {
        if (!atomic_load_explicit(&gpu->wants_staging, memory_order_relaxed))
            continue;
        if (nw_cuda_enter(gpu) == CUDA_SUCCESS)
            (void)nw_cuda_staging_grow(&gpu->staging, (size_t)nw_settings.cuda_staging << 20);
        atomic_store_explicit(&gpu->wants_staging, false, memory_order_relaxed);
        nw_cuda_progress_nudge();
        any = true;
    }
    return any;
}

/* Does what there is to do; false if that is nothing, or if the thread is in the middle of a work. */
static bool serve_all(lane_t *lane)
{
    bool is_first = lane == &transfer.lanes[0];
    nw_work_t *work;
    if (lane->copies)
        return false;
    bool any = is_first && grow_staging();
    for (; (work = take(lane)); any = true) {
        serve(lane, work);
        if (is_first)
            (void)grow_staging();
    }
    return (is_first && free_garbage(lane)) || any;
}

static void *transfer_main(void *argument)
{
    lane_t *lane = argument;
    bool in = lane == &transfer.lanes[NW_CUDA_LANE_IN];
    nw_device_thread_begin(in ? "nowait-copy-in" : "nowait-copy-out");
    /* Not prompt: its copies take long, and it would take the launching thread's processor for them. */
    nw_device_thread_be_punctual();
    while (!atomic_load_explicit(&transfer.stopping, memory_order_acquire)) {
        uint32_t seen = atomic_load_explicit(&lane->events, memory_order_acquire);
        (void)serve_all(lane);
        if (atomic_load_explicit(&lane->events, memory_order_acquire) == seen &&
            !atomic_load_explicit(&transfer.stopping, memory_order_acquire))
            nw_futex_wait(&lane->events, seen);
    }
    (void)serve_all(lane);
    return NULL;
}

nw_status_t nw_cuda_transfer_start(void)
{
    nw_status_t status = NW_OK;
    atomic_store_explicit(&transfer.stopping, false, memory_order_relaxed);
    for (unsigned i = 0; i < NW_CUDA_LANES && status == NW_OK; i++)
        status = nw_cuda_thread_start(&transfer.lanes[i].thread, transfer_main, &transfer.lanes[i]);
    if (status != NW_OK)
        nw_cuda_transfer_stop();
    return status;
}

void nw_cuda_transfer_stop(void)
{
    atomic_store_explicit(&transfer.stopping, true, memory_order_release);
    for (unsigned i = 0; i < NW_CUDA_LANES; i++) {
        announce(&transfer.lanes[i]);
        nw_cuda_thread_join(&transfer.lanes[i].thread);
    }
}

bool nw_cuda_transfer_has_work(void)
{
    const lane_t *own = own_lane();
    pthread_mutex_lock(&transfer.lock);
    bool has = transfer.garbage != NULL;
    for (unsigned i = 0; i < NW_CUDA_LANES; i++) {
        const lane_t *lane = &transfer.lanes[i];
        /* Its own thread asks because it waits, for others. */
        has |= lane == own ? lane->works.first && !lane->copies : lane->works.first || lane->at_work;
    }
    pthread_mutex_unlock(&transfer.lock);
    return has;
}

void nw_cuda_transfer_help(void)
{
    for (unsigned i = 0; i < NW_CUDA_LANES; i++)
        (void)serve_all(&transfer.lanes[i]);
}

bool nw_cuda_transfer_serve(void)
{
    lane_t *lane = own_lane();
    return lane && serve_all(lane);
}
