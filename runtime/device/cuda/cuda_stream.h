/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The streams of a GPU: 32 to begin with, more when all are busy, up to a limit; then works share them in turn. */
#ifndef NW_CUDA_STREAM_H
#define NW_CUDA_STREAM_H

#include "device/cuda/cuda_state.h"

/* Makes the first streams and the memory for their words; finds out whether the GPU can write those. The GPU's context
 * is current. Blocks. */
nw_status_t nw_cuda_streams_open(nw_cuda_gpu_t *gpu);

/* Destroys the streams. Nothing is in flight. */
void nw_cuda_streams_close(nw_cuda_gpu_t *gpu);

/* Returns a stream with its lock held, an idle one if there is any; NULL if all are full. Threads: any. Blocks: while
 * another work's commands go into the same stream, which only happens when all streams are busy. */
nw_cuda_stream_t *nw_cuda_stream_acquire(nw_cuda_gpu_t *gpu);

/* Puts the mark of a work's end into the stream. On success the ticket is in *ticket_p. The lock is held. */
CUresult nw_cuda_stream_mark(nw_cuda_stream_t *stream, uint32_t *ticket_p);

/* The three answers about a ticket: CUDA_SUCCESS, CUDA_ERROR_NOT_READY, or what has failed. With words no call of the
 * driver's is made, and a failure is not seen. */
CUresult nw_cuda_stream_look(nw_cuda_stream_t *stream, uint32_t ticket);

#endif
