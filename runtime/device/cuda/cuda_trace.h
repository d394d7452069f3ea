/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * When a GPU began and ended the parts of a traced work: events around them in the work's stream. The driver tells the
 * time between two events; the first is put on the host's clock where the stream can have come to it at the earliest,
 * when the commands were put there and the work before was over.
 */
#ifndef NW_CUDA_TRACE_H
#define NW_CUDA_TRACE_H

#include "device/cuda/cuda_state.h"

/* Ends of a work's parts in its stream. */
typedef enum nw_cuda_part {
    NW_CUDA_PART_BEGIN,
    NW_CUDA_PART_IN,     /* copies in are over */
    NW_CUDA_PART_KERNEL, /* the kernel is over */
    NW_CUDA_PART_OUT,
    NW_CUDA_N_PARTS
} nw_cuda_part_t;

/* Marks the end of a part of the work whose commands are being put into the stream. `bytes` have been copied in it.
 * Failures make the trace poorer and nothing else. Caller holds the stream's lock. */
void nw_cuda_trace_mark(nw_cuda_stream_t *stream, nw_cuda_part_t part, size_t bytes) __attribute__((cold));

/* Records a work that is over in its stream. Threads: the progress thread, before the work counts as passed. */
void nw_cuda_trace_passed(const nw_work_t *work) __attribute__((cold));

/* Records what the calling thread has done for the work since `begin`. */
void nw_cuda_trace_copies(const nw_work_t *work, bool in, int64_t begin) __attribute__((cold));

/* Frees what the stream needed for this. */
void nw_cuda_trace_close(nw_cuda_stream_t *stream);

#endif
