/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One GPU: opened with all that its works need, so that nothing is set up while regions are dispatched. */
#ifndef NW_CUDA_GPU_H
#define NW_CUDA_GPU_H

#include "device/cuda/cuda_state.h"

/* Opens GPU `index` of the driver's for a device. Blocks. */
nw_status_t nw_cuda_gpu_open(nw_cuda_gpu_t *gpu, nw_device_t *device, int index);

/* Waits for the GPU, so that what device code has printed comes out. */
void nw_cuda_gpu_flush(nw_cuda_gpu_t *gpu);

/* Gives everything back to the driver. Nothing is in flight. Blocks. */
void nw_cuda_gpu_close(nw_cuda_gpu_t *gpu);

#endif
