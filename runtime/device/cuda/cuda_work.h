/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A work on its way: from submission into a stream, and from the stream's mark to the work's end.
 *
 *     submitted --> parked (no room: streams, staging or device memory) --+
 *         |                                                               |
 *         +--> transfer thread (large copies in) --> into a stream <------+
 *                                                        |
 *                   transfer thread (large copies out) <-+--> over
 */
#ifndef NW_CUDA_WORK_H
#define NW_CUDA_WORK_H

#include "device/cuda/cuda_state.h"

/* Bits of a work's phase. */
enum {
    NW_CUDA_COPIED_IN = 1,  /* a transfer thread has done the copies in */
    NW_CUDA_COPY_OUT = 2,   /* a transfer thread will do the copies out */
    NW_CUDA_STREAM_OVER = 4, /* what went into the stream is over */
    NW_CUDA_ON_DEVICE = 8,  /* it counts in on_device */
    NW_CUDA_AGAIN = 16,     /* its kernel is not in the stream: when what is there is over, all goes into one again */
    NW_CUDA_ALONE = 32      /* kept, and nothing was before it in its stream */
};

/* Pageable bytes, those of firstprivate variables too, that one work copies each way through a block of its own; more
 * goes to a transfer thread. A thread that waits for the work has nothing better to do than to copy, up to what makes
 * one block. */
#define NW_CUDA_INLINE_BYTES ((size_t)128 << 10)
#define NW_CUDA_INLINE_BYTES_WAITED ((size_t)448 << 10)

/* Host memory from this size on is looked up: what is pinned already needs no staging. */
#define NW_CUDA_LOOK_UP_BYTES ((size_t)64 << 10)

/* See nw_device_ops. */
nw_status_t nw_cuda_stage(nw_device_t *device, nw_work_t *work, void *to_device, const void *from_host, size_t size);
void nw_cuda_submit(nw_device_t *device, nw_work_t *work);

/*
 * Puts a work's commands into a stream, or gives the work to a transfer thread. NW_IN_PROGRESS: there is no room now;
 * the work is the caller's still. On a failure too. Never blocks.
 */
nw_status_t nw_cuda_work_start(nw_work_t *work);

/* As nw_cuda_work_start; a work without room is parked, and a failure ends the work. */
void nw_cuda_work_begin(nw_work_t *work);

/*
 * As nw_cuda_submit, for a thread that waits for the work and would look for its end itself. Returns true if that is
 * the thread's to do: the work is in a stream, and it calls nw_cuda_work_passed when its ticket has passed, or
 * nw_cuda_progress_watch before. False: the work is on its way like any other.
 */
bool nw_cuda_work_submit_kept(nw_work_t *work);

/* The bytes of firstprivate variables that were staged for a work and are not in a stream yet: *value_p starts as NULL.
 * false: there are no more. The chunk is valid until they are freed. */
bool nw_cuda_work_next_value(const nw_work_t *work, void **value_p, nw_chunk_t *chunk_p);
void nw_cuda_work_free_values(nw_work_t *work);

/* Called when the stream has passed the work's mark, or has failed. */
void nw_cuda_work_passed(nw_work_t *work, CUresult result);

/* Ends a work: frees what it holds and calls its `done`. */
void nw_cuda_work_end(nw_work_t *work, nw_status_t status);

/* True if the GPU reaches all of this host memory by itself: pinned, registered or managed. */
bool nw_cuda_is_pinned(const nw_cuda_gpu_t *gpu, const void *host, size_t size);

#endif
