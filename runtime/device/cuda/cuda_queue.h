/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Interop: what a program may know of CUDA underneath a device, and streams (CUstream) to which it adds work. */
#ifndef NW_CUDA_QUEUE_H
#define NW_CUDA_QUEUE_H

#include "device/device.h"

/* The slots of the same names; see device.h. */
void nw_cuda_foreign(nw_device_t *device, nw_foreign_t *foreign_p);
nw_status_t nw_cuda_queue_open(nw_device_t *device, void **queue_p);
void nw_cuda_queue_close(nw_device_t *device, void *queue);
nw_status_t nw_cuda_queue_wait(nw_device_t *device, void *queue);
nw_status_t nw_cuda_queue_notify(nw_device_t *device, void *queue, void (*over)(void *argument, nw_status_t status),
                                 void *argument);

#endif
