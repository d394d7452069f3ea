/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loaded device images: the driver's module, kernels with their environments, the device's own environment. */
#ifndef NW_CUDA_IMAGE_H
#define NW_CUDA_IMAGE_H

#include "device/cuda/cuda_state.h"

/* See nw_device_ops. */
const char *nw_cuda_image_refuse(const nw_device_t *device, const void *start, size_t size);
int nw_cuda_image_rank(const nw_device_t *device, const void *start, size_t size);
nw_status_t nw_cuda_image_load(nw_device_t *device, const void *start, size_t size, nw_image_t **image_p);
void nw_cuda_image_unload(nw_device_t *device, nw_image_t *image);
nw_status_t nw_cuda_image_symbol(nw_device_t *device, nw_image_t *image, const char *name, nw_symbol_t *symbol_p);
nw_status_t nw_cuda_image_kernel(nw_device_t *device, nw_image_t *image, const char *name, nw_kernel_t **kernel_p);
nw_status_t nw_cuda_image_start(nw_device_t *device, nw_image_t *image);

/* The driver's module. */
CUmodule nw_cuda_image_module(const nw_image_t *image);

#endif
