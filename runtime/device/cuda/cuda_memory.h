/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device memory: the device's caching pool over the driver's stream-ordered allocator. */
#ifndef NW_CUDA_MEMORY_H
#define NW_CUDA_MEMORY_H

#include "device/cuda/cuda_state.h"

/* Sets up the device's pool. The GPU's context is current. Blocks. */
nw_status_t nw_cuda_memory_open(nw_cuda_gpu_t *gpu);

/* Gives all that is kept for reuse, and the pool, back to the driver. Blocks. */
void nw_cuda_memory_close(nw_cuda_gpu_t *gpu);

/* See nw_device_ops. Threads: any. Blocks: never for the GPU's work. */
void *nw_cuda_alloc(nw_device_t *device, size_t size);
void nw_cuda_free(nw_device_t *device, void *address, size_t size);

void *nw_cuda_alloc_reachable(nw_device_t *device, size_t size, nw_reachable_t kind);
void nw_cuda_free_reachable(nw_device_t *device, void *address, nw_reachable_t kind);
nw_status_t nw_cuda_health(nw_device_t *device);
size_t nw_cuda_memory_left(const nw_device_t *device);
bool nw_cuda_is_busy(const nw_device_t *device);

/* Gives what is kept for reuse back to the driver. */
void nw_cuda_memory_trim(nw_cuda_gpu_t *gpu);

#endif
