/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies between places that GPUs reach, and fills. */
#ifndef NW_CUDA_MOVE_H
#define NW_CUDA_MOVE_H

#include "device/cuda/cuda_state.h"

/* Whether the two ranges have bytes in common: the driver's copies don't allow that. */
bool nw_cuda_move_overlaps(const nw_move_t *move);

/* Puts a move into a stream. Ranges that overlap go through `between`, device memory of the move's size. Ends on two
 * GPUs are a copy between peers. The context is current. *call_p names the call that failed. */
CUresult nw_cuda_move(const nw_cuda_gpu_t *gpu, CUstream stream, const nw_move_t *move, void *between,
                      const char **call_p);

#endif
