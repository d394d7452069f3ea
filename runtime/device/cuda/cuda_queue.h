/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Interop: what a program may know of CUDA underneath a device, and streams (CUstream) to which it adds work. */
#ifndef NW_CUDA_QUEUE_H
#define NW_CUDA_QUEUE_H

#include "device/cuda/cuda_work.h"

/* The slots of the same names; see device.h. */
void nw_cuda_foreign(nw_device_t *device, nw_foreign_t *foreign_p);
nw_status_t nw_cuda_queue_open(nw_device_t *device, void **queue_p);
void nw_cuda_queue_close(nw_device_t *device, void *queue);
nw_status_t nw_cuda_queue_wait(nw_device_t *device, void *queue);
nw_status_t nw_cuda_queue_notify(nw_device_t *device, void *queue, void (*over)(void *argument, nw_status_t status),
                                 void *argument, _Atomic uint32_t *on_device);
nw_status_t nw_cuda_queue_follow(nw_device_t *device, void *queue);

/* Counts a work that is in its stream, and that nobody watches yet, among those that foreign tasks may follow there.
 * Not one whose end copies something out of staging. */
static inline void nw_cuda_queue_count(nw_work_t *work)
{
    if (!work->on_device)
        return;
    work->state.phase |= NW_CUDA_ON_DEVICE;
    /* Release: who sees the count sees the work's stream in flight. */
    atomic_fetch_add_explicit(work->on_device, 1, memory_order_release);
}

static inline void nw_cuda_queue_uncount(nw_work_t *work)
{
    if (!(work->state.phase & NW_CUDA_ON_DEVICE))
        return;
    work->state.phase &= ~(uint32_t)NW_CUDA_ON_DEVICE;
    atomic_fetch_sub_explicit(work->on_device, 1, memory_order_release);
}

#endif
