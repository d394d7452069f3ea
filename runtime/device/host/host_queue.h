/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Interop on the CPU devices. There is no foreign runtime underneath, so nothing can be added to a queue: it is only
 * what the program's objects have in common. Notifications come from a worker thread, as those of a real device do.
 */
#ifndef NW_HOST_QUEUE_H
#define NW_HOST_QUEUE_H

#include "device/device.h"

/* The slots of the same names; see device.h. */
void nw_host_foreign(nw_device_t *device, nw_foreign_t *foreign_p);
nw_status_t nw_host_queue_open(nw_device_t *device, void **queue_p);
void nw_host_queue_close(nw_device_t *device, void *queue);
nw_status_t nw_host_queue_wait(nw_device_t *device, void *queue);
nw_status_t nw_host_queue_notify(nw_device_t *device, void *queue, void (*over)(void *argument, nw_status_t status),
                                 void *argument, _Atomic uint32_t *on_device);

#endif
