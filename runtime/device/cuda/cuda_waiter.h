/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread that waits for a work: that of an undeferred region, say. Where nothing else is to be done for the work it
 * looks for the work's end itself, and needs nobody to be woken by; what takes longer than it should look, and what may
 * have failed, it hands over to the progress thread.
 */
#ifndef NW_CUDA_WAITER_H
#define NW_CUDA_WAITER_H

#include "device/cuda/cuda_state.h"

/* See nw_device_ops. */
nw_status_t nw_cuda_execute(nw_device_t *device, nw_work_t *work);

/* Since when nothing has been before the work in its stream, for one that is the first in it: now, unless it has been
 * handed over by its waiter. 0: nobody knows. Threads: the progress thread. */
int64_t nw_cuda_waiter_since(const nw_work_t *work, int64_t now);

#endif
