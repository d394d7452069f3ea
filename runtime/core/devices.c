/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/devices.h"

#include <stdlib.h>

#include "core/images.h"
#include "core/tool.h"
#include "support/loader.h"
#include "support/log.h"
#include "support/processors.h"
#include "support/reason.h"

static const nw_device_ops_t *const backends[] = {
#define NW_BACKEND(name) &nw_backend_##name,
#include "device/backends.def"
#undef NW_BACKEND
};

#define N_BACKENDS (sizeof backends / sizeof backends[0])

static bool probed; /* or that is being done; guarded by the loader's lock */
static nw_core_device_t *devices;
static _Atomic int n_devices = -1; /* below 0: not probed yet */

/* A program sees the devices that it has been compiled for, as with stock LLVM: their numbers begin at 0. One that has
 * no image at all sees every device. */
static void probe(void *unused)
{
    (void)unused;
    int found[N_BACKENDS], total = 0, n = 0;
    bool wanted[N_BACKENDS], any = false;
    nw_processors_t own;
    /* A driver that is being loaded may ask for devices itself: there are none for it. */
    if (probed)
        return;
    probed = true;
    /* Drivers make threads of their own. */
    nw_processors_borrow(&own);
    for (size_t i = 0; i < N_BACKENDS; i++) {
        found[i] = backends[i]->probe();
        wanted[i] = nw_images_have_some_for(backends[i]);
        any |= wanted[i];
    }
    nw_processors_return(&own);
    for (size_t i = 0; i < N_BACKENDS; i++) {
        if (any && !wanted[i])
            found[i] = 0;
        total += found[i];
    }
    if (total > NW_MAX_DEVICES) {
        nw_log(NW_LOG_WARNING, "%d devices found, only the first %d are used", total, NW_MAX_DEVICES);
        total = NW_MAX_DEVICES;
    }
    devices = aligned_alloc(64, ((size_t)total * sizeof *devices + 64) / 64 * 64);
    if (!devices && total > 0) {
        nw_log(NW_LOG_ERROR, "out of memory for %d devices: regions run on the host", total);
        total = 0;
    }
    for (size_t i = 0; i < N_BACKENDS; i++) {
        for (int index = 0; index < found[i] && n < total; index++, n++) {
            nw_core_device_t *device = &devices[n];
            *device = (nw_core_device_t){.base = {.ops = backends[i], .number = n}, .index = index};
            nw_map_table_init(&device->map, &device->base);
        }
    }
    /* Release pairs with the acquire in nw_devices_count. */
    atomic_store_explicit(&n_devices, n, memory_order_release);
}

int nw_devices_count(void)
{
    int n = atomic_load_explicit(&n_devices, memory_order_acquire);
    if (NW_LIKELY(n >= 0))
        return n;
    nw_loader_locked(probe, NULL);
    n = atomic_load_explicit(&n_devices, memory_order_acquire);
    return n >= 0 ? n : 0;
}

nw_core_device_t *nw_devices_peek(int64_t number)
{
    return number >= 0 && number < nw_devices_count() ? &devices[number] : NULL;
}

/* Caller holds the loader's lock. */
static bool open_device(nw_core_device_t *device)
{
    nw_processors_t own;
    if (device->state == NW_DEVICE_OPENING) {
        nw_reason_set("device %d is used by a library that is loaded while it is being opened", device->base.number);
        return false;
    }
    device->state = NW_DEVICE_OPENING;
    nw_processors_borrow(&own);
    nw_status_t status = device->base.ops->open(&device->base, device->index);
    nw_processors_return(&own);
    if (status != NW_OK) {
        device->state = NW_DEVICE_CLOSED;
        nw_reason_set("device %d cannot be opened: %s", device->base.number, nw_reason_take(nw_status_text(status)));
        return false;
    }
    /* Before anything else is done with it: nothing may be told of before its device. */
    if (nw_tool_attached())
        nw_tool_device_initialize(device);
    device->state = NW_DEVICE_OPEN;
    nw_log(NW_LOG_INFO, "device %d is open: %s, %s", device->base.number, device->base.ops->kind, device->base.name);
    return true;
}

/* Opens the device if it isn't yet, and loads what has been registered since its last use. */
static void bring_up(void *argument)
{
    nw_core_device_t *device = argument;
    if (device->state != NW_DEVICE_OPEN && !open_device(device))
        return;
    uint64_t generation = nw_images_load(device);
    if (generation)
        atomic_store_explicit(&device->images_generation, generation, memory_order_release);
}

static __attribute__((cold, noinline)) nw_core_device_t *bring_up_locked(nw_core_device_t *device)
{
    nw_loader_locked(bring_up, device);
    return device->state == NW_DEVICE_OPEN ? device : NULL;
}

nw_core_device_t *nw_devices_get(int64_t number)
{
    nw_core_device_t *device = nw_devices_peek(number);
    /* Acquire pairs with the release in bring_up: the loaded kernels are visible. */
    if (NW_LIKELY(device && atomic_load_explicit(&device->images_generation, memory_order_acquire) ==
                                nw_images_generation()))
        return device;
    return device ? bring_up_locked(device) : NULL;
}

nw_core_device_t *nw_devices_ready(int64_t number)
{
    nw_core_device_t *device = nw_devices_peek(number);
    return device && atomic_load_explicit(&device->images_generation, memory_order_acquire) != 0 ? device : NULL;
}

void nw_devices_memory(uint64_t *live_p, uint64_t *peak_p)
{
    *live_p = *peak_p = 0;
    for (int i = 0, n = nw_devices_count(); i < n; i++) {
        *live_p += atomic_load_explicit(&devices[i].base.pool.live, memory_order_relaxed);
        *peak_p += atomic_load_explicit(&devices[i].base.pool.peak, memory_order_relaxed);
    }
}

static void tell_devices_end(void)
{
    for (int i = 0; i < n_devices; i++) {
        if (devices[i].state != NW_DEVICE_OPEN)
            continue;
        nw_images_tell_unload(&devices[i]);
        nw_tool_device_finalize(&devices[i]);
    }
    nw_tool_detach();
}

void nw_devices_close(void)
{
    if (nw_tool_attached())
        tell_devices_end();
    for (size_t i = 0; i < N_BACKENDS; i++)
        backends[i]->close();
}

void nw_devices_after_fork(void)
{
    nw_loader_after_fork();
    nw_images_after_fork();
    for (int i = 0; i < n_devices; i++)
        nw_map_table_after_fork(&devices[i].map);
    for (size_t i = 0; i < N_BACKENDS; i++)
        backends[i]->after_fork();
}
