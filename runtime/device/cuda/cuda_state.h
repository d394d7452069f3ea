/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the files of this backend share: a GPU, its streams, a loaded kernel.
 *
 * A stream executes one work after the other. A work's commands (copies in, kernel, copies out, mark of the end) go
 * into its stream as a whole, under the stream's lock. The mark is a ticket: a number that the GPU writes to the
 * stream's word in pinned host memory, or an event where the driver has no such writes.
 */
#ifndef NW_CUDA_STATE_H
#define NW_CUDA_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/cuda/cuda_geometry.h"
#include "device/cuda/cuda_library.h"
#include "device/cuda/cuda_staging.h"
#include "device/device_state.h"

typedef struct nw_cuda_gpu nw_cuda_gpu_t;

/* Most works in flight in one stream. */
#define NW_CUDA_STREAM_EVENTS 64u

/* Large copies have a lane in each direction, with a thread and a stream of its own. */
typedef enum nw_cuda_lane { NW_CUDA_LANE_IN, NW_CUDA_LANE_OUT, NW_CUDA_LANES } nw_cuda_lane_t;

/* Pieces of a large copy that are on their way at a time. */
#define NW_CUDA_TRANSFER_PIECES 3u

typedef struct nw_cuda_stream {
    CUstream handle;
    nw_cuda_gpu_t *gpu;
    _Atomic uint32_t *word; /* the GPU writes the last finished ticket here */
    CUdeviceptr word_address;
    pthread_mutex_t lock;
    uint32_t issued;            /* the last ticket given out; guarded by the lock */
    CUevent events[NW_CUDA_STREAM_EVENTS]; /* without words: ticket t's is the one at t modulo their number */
    _Atomic uint32_t in_flight; /* works */
    struct nw_cuda_stream_trace *trace; /* cuda_trace.c's; NULL: nothing in it is traced */
    /* The progress thread's own from here on. */
    nw_work_t *first, *last;             /* works in flight that it knows of */
    struct nw_cuda_stream *next_busy;
    uint32_t armed; /* the ticket after which the driver will call back */
    int64_t since;  /* when its oldest work came to be that; 0: not known */
} nw_cuda_stream_t;

struct nw_cuda_gpu {
    nw_device_t *device;
    CUdevice handle;
    CUcontext context;
    int index;
    int major, minor;    /* compute capability */
    uint32_t max_threads, max_blocks, warp, multiprocessors, max_threads_resident;
    bool words;          /* the end of a work is marked in host memory */
    bool ordered_memory; /* memory comes from the driver's stream-ordered allocator */
    char name[96];
    size_t memory_at_open; /* bytes that were free */
    CUmemoryPool memory_pool;
    CUstream memory_stream; /* carries nothing but allocations and frees, so it is idle but for moments */
    pthread_mutex_t memory_lock;
    pthread_mutex_t copy_lock;
    CUstream copy_stream; /* of copies that the caller waits for */
    /* Streams, of which the first n_streams exist. */
    pthread_mutex_t grow_lock;
    nw_cuda_stream_t *streams;
    _Atomic uint32_t n_streams, next_stream;
    uint32_t most_streams;
    _Atomic uint32_t *words_memory;
    CUdeviceptr words_address;
    nw_cuda_staging_t staging;
    nw_buffer_pool_t values; /* ordinary memory for firstprivate bytes of works that are not submitted yet */
    nw_cuda_stream_t transfer[NW_CUDA_LANES]; /* the transfer threads', like what follows */
    char *pieces[NW_CUDA_LANES][NW_CUDA_TRANSFER_PIECES]; /* pinned blocks of the largest size */
    _Atomic bool wants_staging;
    _Atomic uint32_t in_flight;
    _Atomic uint32_t failure; /* CUresult of an allocation that failed, but not because memory was out */
    _Atomic uint32_t images;   /* loaded */
    /* Streams of the program's: see cuda_queue.h. */
    pthread_mutex_t queues_lock;
    struct nw_cuda_queue *queues;
    _Atomic uint32_t n_queues;
};

struct nw_kernel {
    CUfunction function;
    nw_cuda_shape_t shape;
    uint64_t reduction_bytes; /* of a launch's reduction buffer; 0: the kernel needs no launch environment */
    _Atomic uint32_t dynamic_shared; /* the most that the driver has been told of */
    /* cuda_forecast.h. Of what threads learn at the same time one may be lost. */
    _Atomic int64_t expected_ns;  /* what it takes; 0: not known, or too short to matter */
    _Atomic uint32_t times_right; /* how often in turn it took that */
    struct nw_kernel *next;
};

/* Returns the i-th GPU that has been opened; NULL behind the last. */
nw_cuda_gpu_t *nw_cuda_gpu_at(int i);

static inline nw_cuda_gpu_t *nw_cuda_gpu_of(const nw_device_t *device)
{
    return device->impl;
}

/* Makes the GPU's context the calling thread's, if another is: one call of the driver's, two if so. */
static inline CUresult nw_cuda_enter(const nw_cuda_gpu_t *gpu)
{
    CUcontext now;
    CUresult result = nw_cuda.cuCtxGetCurrent(&now);
    return result == CUDA_SUCCESS && now != gpu->context ? nw_cuda.cuCtxSetCurrent(gpu->context) : result;
}

/* Notes the driver's answer in the work, and returns its status. */
static inline nw_status_t nw_cuda_note(nw_work_t *work, CUresult result, const char *call)
{
    if (__builtin_expect(result != CUDA_SUCCESS, 0)) {
        work->failure = nw_cuda_words(result);
        work->failed_call = call;
    }
    return nw_cuda_status(result);
}

#endif
