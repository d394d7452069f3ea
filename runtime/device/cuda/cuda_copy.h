/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies that the caller waits for: omp_target_memcpy and its kin, and the set-up of images. */
#ifndef NW_CUDA_COPY_H
#define NW_CUDA_COPY_H

#include "device/cuda/cuda_state.h"

nw_status_t nw_cuda_copies_open(nw_cuda_gpu_t *gpu);
void nw_cuda_copies_close(nw_cuda_gpu_t *gpu);

/* See nw_device_ops. Threads: any. Block. */
nw_status_t nw_cuda_copy_in(nw_device_t *device, void *to_device, const void *from_host, size_t size);
nw_status_t nw_cuda_copy_out(nw_device_t *device, void *to_host, const void *from_device, size_t size);
nw_status_t nw_cuda_copy_within(nw_device_t *device, void *to_device, const void *from_device, size_t size);
nw_status_t nw_cuda_fill(nw_device_t *device, void *address, int byte, size_t size);

#endif
