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

#define NW_BACKEND(name) extern const nw_device_ops_t nw_backend_##name;
#include "device/backends.def"
#undef NW_BACKEND

#endif
