/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CPU device: device memory is the process's own memory, kernels run on worker threads. */
#include <stdlib.h>
#include <string.h>

#include "device/buffer_pool.h"
#include "device/device_state.h"
#include "device/host/host_image.h"
#include "device/host/host_queue.h"
#include "device/host/host_workers.h"
#include "support/log.h"
#include "support/settings.h"

static bool workers_started;

static int host_probe(void)
{
    return (int)nw_settings.host_devices;
}

static void *raw_alloc(void *context, size_t size)
{
    (void)context;
    void *block;
    return posix_memalign(&block, 64, size) == 0 ? block : NULL;
}

static void raw_free(void *context, void *block, size_t size)
{
    (void)context;
    (void)size;
    free(block);
}

/* Devices are opened one after the other under core's lock. */
static nw_status_t host_open(nw_device_t *device, int index)
{
    (void)index;
    if (!workers_started) {
        nw_status_t status = nw_host_workers_start(nw_settings.host_workers, nw_settings.spin, nw_settings.stack);
        if (status != NW_OK)
            return status;
        workers_started = true;
    }
    nw_buffer_pool_init(&device->pool, raw_alloc, raw_free, NULL, (size_t)nw_settings.pool_limit << 20);
    device->name = "CPU";
    return NW_OK;
}

static void host_close(void)
{
    bool started = workers_started;
    workers_started = false;
    if (started)
        nw_host_workers_stop();
}

/* The workers are the parent's; the child's regions run on the threads that launch them. */
static void host_after_fork(void)
{
    workers_started = false;
}

static void *host_alloc(nw_device_t *device, size_t size)
{
    return nw_buffer_pool_alloc(&device->pool, size);
}

static void host_free(nw_device_t *device, void *address, size_t size)
{
    nw_buffer_pool_free(&device->pool, address, size);
}

static void *host_alloc_reachable(nw_device_t *device, size_t size, nw_reachable_t kind)
{
    (void)device;
    (void)kind;
    return raw_alloc(NULL, size);
}

static void host_free_reachable(nw_device_t *device, void *address, nw_reachable_t kind)
{
    (void)device;
    (void)kind;
    free(address);
}

static nw_status_t host_copy(nw_device_t *device, void *to, const void *from, size_t size)
{
    (void)device;
    /* Ranges within one device may overlap in omp_target_memcpy. */
    memmove(to, from, size);
    return NW_OK;
}

static nw_status_t host_stage(nw_device_t *device, nw_work_t *work, void *to, const void *from, size_t size)
{
    (void)work;
    return host_copy(device, to, from, size);
}

static nw_status_t host_fill(nw_device_t *device, void *address, int byte, size_t size)
{
    (void)device;
    memset(address, byte, size);
    return NW_OK;
}

static const char *host_image_refuse(const nw_device_t *device, const void *start, size_t size)
{
    return device ? nw_host_image_refuse(start, size) : nw_host_image_refuse_kind(start, size);
}

static nw_status_t host_image_load(nw_device_t *device, const void *start, size_t size, nw_image_t **image_p)
{
    (void)device;
    return nw_host_image_load(start, size, image_p);
}

static nw_status_t host_image_start(nw_device_t *device, nw_image_t *image)
{
    (void)device;
    nw_host_image_start(image);
    return NW_OK;
}

static void host_image_unload(nw_device_t *device, nw_image_t *image)
{
    (void)device;
    nw_host_image_unload(image);
}

static nw_status_t host_symbol(nw_device_t *device, nw_image_t *image, const char *name, nw_symbol_t *symbol_p)
{
    (void)device;
    return nw_host_image_symbol(image, name, symbol_p);
}

static nw_status_t host_kernel(nw_device_t *device, nw_image_t *image, const char *name, nw_kernel_t **kernel_p)
{
    (void)device;
    return nw_host_kernel_find(image, name, kernel_p);
}

static void host_submit(nw_device_t *device, nw_work_t *work)
{
    (void)device;
    if (NW_LIKELY(workers_started)) {
        nw_host_workers_push(work);
        return;
    }
    /* A destructor that runs after the end of the program's regions has nobody to hand its work to; nor has a child
     * process. */
    nw_status_t status = nw_host_work_run(work);
    work->done(work, status);
}

static nw_status_t host_execute(nw_device_t *device, nw_work_t *work)
{
    (void)device;
    return nw_host_work_run(work);
}

const nw_device_ops_t nw_backend_host = {
    .kind = "host",
    .compiler_flag = "-fopenmp-targets=",
    .memory_is_host = true,
    .moves = true,
    .runs_on_caller = true,
    .probe = host_probe,
    .open = host_open,
    .close = host_close,
    .after_fork = host_after_fork,
    .alloc = host_alloc,
    .free = host_free,
    .alloc_reachable = host_alloc_reachable,
    .free_reachable = host_free_reachable,
    .copy_in = host_copy,
    .copy_out = host_copy,
    .copy_within = host_copy,
    .fill = host_fill,
    .stage = host_stage,
    .image_refuse = host_image_refuse,
    .image_load = host_image_load,
    .image_start = host_image_start,
    .image_unload = host_image_unload,
    .symbol = host_symbol,
    .kernel = host_kernel,
    .submit = host_submit,
    .execute = host_execute,
    .foreign = nw_host_foreign,
    .queue_open = nw_host_queue_open,
    .queue_close = nw_host_queue_close,
    .queue_wait = nw_host_queue_wait,
    .queue_notify = nw_host_queue_notify,
};
