/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The devices of the process, in OpenMP's numbering. */
#ifndef NW_DEVICES_H
#define NW_DEVICES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/map_table.h"
#include "device/device_state.h"

/* Most devices; a region's table of kernels has this many places. */
#define NW_MAX_DEVICES 64

typedef enum nw_device_life { NW_DEVICE_CLOSED, NW_DEVICE_OPENING, NW_DEVICE_OPEN } nw_device_life_t;

typedef struct nw_core_device {
    nw_device_t base; /* first, so that a backend's device is this device */
    nw_map_table_t map;
    int index;                             /* within its backend */
    _Atomic nw_device_life_t state;        /* written by who holds the loader's lock */
    _Atomic uint64_t images_generation;    /* of the image registry that this device has seen; 0: not opened */
} nw_core_device_t;

/* Returns the number of devices. Probes the backends the first time, with the loader's lock (support/loader.h).
 * Threads: any. Blocks: the first time. */
int nw_devices_count(void);

/*
 * Returns device `number` (0 to count - 1), opened and with every registered image loaded; NULL if there is no such
 * device or it cannot be opened. Threads: any but devices' own. Blocks: only when there is something to open or load:
 * for the loader's lock.
 */
nw_core_device_t *nw_devices_get(int64_t number);

/* Returns device `number` if it has been got before, with the images that had been registered by then; otherwise NULL.
 * Threads: any. Blocks: never. */
nw_core_device_t *nw_devices_ready(int64_t number);

/* Returns device `number` without opening it; NULL if there is no such device. */
nw_core_device_t *nw_devices_peek(int64_t number);

/* Sums of device memory in use by mappings, firstprivate copies and omp_target_alloc, in bytes. */
void nw_devices_memory(uint64_t *live_p, uint64_t *peak_p);

/* After fork, in the child: the devices go on as far as they can. */
void nw_devices_after_fork(void);

/* Ends the backends. No operation may be in flight. Blocks. */
void nw_devices_close(void);

#endif
