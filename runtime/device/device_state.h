/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One device: the part that every backend has. Core extends it (core/devices.h); a backend sees only this. */
#ifndef NW_DEVICE_STATE_H
#define NW_DEVICE_STATE_H

#include "device/buffer_pool.h"
#include "device/device.h"

struct nw_device {
    const nw_device_ops_t *ops;
    int number;       /* OpenMP device number */
    const char *name; /* set by open */
    void *impl;       /* the backend's */
    nw_buffer_pool_t pool;
};

/*
 * What a CPU device's thread does around a kernel, set by the layer that knows libomp; NULL before the first region.
 * enter: called with the device's number, and with how many threads of the devices run kernels (about, at least 1), or
 * 0 if the calling thread isn't one of them; its answer goes to leave. Neither blocks.
 */
typedef struct nw_kernel_hooks {
    int32_t (*enter)(int device, int32_t n_running);
    void (*leave)(int32_t before);
} nw_kernel_hooks_t;

extern const nw_kernel_hooks_t *_Atomic nw_kernel_hooks;

/* Why alloc has returned NULL. */
static inline nw_status_t nw_device_alloc_status(nw_device_t *device)
{
    nw_status_t status = device->ops->health ? device->ops->health(device) : NW_OK;
    return status == NW_OK ? NW_ERR_DEVICE_MEMORY : status;
}

#define NW_BACKEND(name) extern const nw_device_ops_t nw_backend_##name;
#include "device/backends.def"
#undef NW_BACKEND

#endif
