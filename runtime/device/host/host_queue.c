/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/host/host_queue.h"

#include <stdlib.h>

#include "device/device_state.h"

typedef struct host_queue {
    nw_device_t *device;
} host_queue_t;

/* A notification under way: an empty work. */
typedef struct notification {
    nw_work_t work; /* first */
    void (*over)(void *argument, nw_status_t status);
    void *argument;
} notification_t;

void nw_host_foreign(nw_device_t *device, nw_foreign_t *foreign_p)
{
    enum { VENDOR_LLVM = 9 };
    (void)device;
    *foreign_p = (nw_foreign_t){.vendor = VENDOR_LLVM};
}

nw_status_t nw_host_queue_open(nw_device_t *device, void **queue_p)
{
    host_queue_t *queue = malloc(sizeof *queue);
    if (!queue)
        return NW_ERR_NO_MEMORY;
    queue->device = device;
    *queue_p = queue;
    return NW_OK;
}

void nw_host_queue_close(nw_device_t *device, void *queue)
{
    (void)device;
    free(queue);
}

nw_status_t nw_host_queue_wait(nw_device_t *device, void *queue)
{
    (void)device;
    (void)queue;
    return NW_OK;
}

static void notify(nw_work_t *work, nw_status_t status)
{
    notification_t *n = (notification_t *)work;
    n->over(n->argument, status);
    free(n);
}

nw_status_t nw_host_queue_notify(nw_device_t *device, void *queue, void (*over)(void *argument, nw_status_t status),
                                 void *argument, _Atomic uint32_t *on_device)
{
    (void)queue;
    (void)on_device;
    notification_t *n = calloc(1, sizeof *n);
    if (!n)
        return NW_ERR_NO_MEMORY;
    n->work.device = device;
    n->work.done = notify;
    n->over = over;
    n->argument = argument;
    device->ops->submit(device, &n->work);
    return NW_OK;
}
