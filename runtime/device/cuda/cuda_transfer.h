/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The threads that do what takes its time: large copies between pageable memory and a GPU, in pieces, so that one piece
 * is copied to or from pinned memory while the GPU fetches or writes another; pinning more memory; freeing device
 * memory where that may wait. No kernel is ever waited for: copies in come before a work's kernel, copies out after it
 * is over. One thread does copies in and all the rest, one copies out, so both directions of the bus are used at a
 * time.
 */
#ifndef NW_CUDA_TRANSFER_H
#define NW_CUDA_TRANSFER_H

#include "device/cuda/cuda_state.h"

nw_status_t nw_cuda_transfer_start(void);
void nw_cuda_transfer_stop(void);

/* Gives its thread a work whose copies in, or, if the stream is over with it, whose copies out are to be done. Blocks:
 * never. */
void nw_cuda_transfer_push(nw_work_t *work);

/* Asks for more pinned memory for the GPU. Blocks: never. */
void nw_cuda_transfer_grow(nw_cuda_gpu_t *gpu);

/* Frees device memory that came from cuMemAlloc. Blocks: never. */
CUresult nw_cuda_transfer_free(nw_cuda_gpu_t *gpu, CUdeviceptr address);

/* True if a thread has something to do, or is doing it. */
bool nw_cuda_transfer_has_work(void);

/* Without threads: does their work once. */
void nw_cuda_transfer_help(void);

/* For a transfer thread inside of something that it has set off: does what there is to do. Returns false if that was
 * nothing, or another thread calls. */
bool nw_cuda_transfer_serve(void);

#endif
