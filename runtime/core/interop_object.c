/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/interop_object.h"

#include <pthread.h>
#include <stdlib.h>

#include "support/log.h"
#include "support/reason.h"

typedef struct callback {
    struct callback *next;
    nw_interop_callback_t function;
    void *data;
} callback_t;

struct nw_interop {
    nw_core_device_t *device; /* NULL: the host */
    int64_t number;
    nw_foreign_t foreign;
    pthread_mutex_t lock; /* for what follows */
    void *queue;          /* NULL: not opened */
    callback_t *callbacks, **last_callback;
    /* Of implicit objects; the list is guarded by implicit_lock, `dirty` is the thread's own. */
    nw_interop_t *next_implicit;
    bool is_implicit;
    int32_t gtid;
    bool dirty;
};

static pthread_mutex_t implicit_lock = PTHREAD_MUTEX_INITIALIZER;
static nw_interop_t *implicit;
static bool ended;

/* How many implicit objects the thread has to synchronise. */
static _Thread_local uint32_t dirty;

nw_interop_t *nw_interop_new(nw_core_device_t *device, int64_t number)
{
    nw_interop_t *interop = calloc(1, sizeof *interop);
    if (!interop)
        return NULL;
    interop->device = device;
    interop->number = number;
    interop->last_callback = &interop->callbacks;
    pthread_mutex_init(&interop->lock, NULL);
    if (device && device->base.ops->foreign)
        device->base.ops->foreign(&device->base, &interop->foreign);
    return interop;
}

void nw_interop_free(nw_interop_t *interop)
{
    if (interop->queue)
        interop->device->base.ops->queue_close(&interop->device->base, interop->queue);
    while (interop->callbacks) {
        callback_t *next = interop->callbacks->next;
        free(interop->callbacks);
        interop->callbacks = next;
    }
    pthread_mutex_destroy(&interop->lock);
    free(interop);
}

/* The object's queue, which is opened if it is not. */
static nw_status_t open_queue(nw_interop_t *interop, void **queue_p)
{
    nw_status_t status = NW_ERR_UNSUPPORTED;
    pthread_mutex_lock(&interop->lock);
    if (interop->queue)
        status = NW_OK;
    else if (interop->device && interop->device->base.ops->queue_open)
        status = interop->device->base.ops->queue_open(&interop->device->base, &interop->queue);
    *queue_p = status == NW_OK ? interop->queue : NULL;
    pthread_mutex_unlock(&interop->lock);
    return status;
}

static void *opened_queue(nw_interop_t *interop)
{
    pthread_mutex_lock(&interop->lock);
    void *queue = interop->queue;
    pthread_mutex_unlock(&interop->lock);
    return queue;
}

bool nw_interop_may_have_tasks(const nw_interop_t *interop)
{
    return interop->foreign.runtime != 0;
}

nw_status_t nw_interop_follow(nw_interop_t *interop)
{
    void *queue;
    pthread_mutex_lock(&interop->lock);
    bool calls = interop->callbacks != NULL;
    pthread_mutex_unlock(&interop->lock);
    if (calls || !interop->device || !interop->device->base.ops->queue_follow)
        return NW_ERR_UNSUPPORTED;
    nw_status_t status = open_queue(interop, &queue);
    return status == NW_OK ? interop->device->base.ops->queue_follow(&interop->device->base, queue) : status;
}

static const char *runtime_name(int32_t runtime)
{
    static const char *const names[] = {"none", "cuda", "cuda_driver", "opencl", "sycl", "hip", "level_zero", "hsa"};
    return runtime >= 0 && runtime < (int32_t)(sizeof names / sizeof *names) ? names[runtime] : "unknown";
}

static const char *vendor_name(int32_t vendor)
{
    static const char *const names[] = {"unknown", "amd", "arm",   "bsc",  "fujitsu", "gnu",    "hpe",
                                        "ibm",     "intel", "llvm", "nec",  "nvidia",  "ti"};
    return vendor >= 0 && vendor < (int32_t)(sizeof names / sizeof *names) ? names[vendor] : "unknown";
}

int nw_interop_type(int property)
{
    switch (property) {
    case NW_IPR_FR_ID:
    case NW_IPR_VENDOR:
    case NW_IPR_DEVICE_NUM:
        return NW_IRC_TYPE_INT;
    case NW_IPR_FR_NAME:
    case NW_IPR_VENDOR_NAME:
        return NW_IRC_TYPE_STR;
    case NW_IPR_PLATFORM:
    case NW_IPR_DEVICE:
    case NW_IPR_DEVICE_CONTEXT:
    case NW_IPR_TARGETSYNC:
        return NW_IRC_TYPE_PTR;
    default:
        return NW_IRC_OUT_OF_RANGE;
    }
}

static int pointer_property(nw_interop_t *interop, int property, void **pointer_p)
{
    switch (property) {
    case NW_IPR_PLATFORM:
        *pointer_p = interop->foreign.platform;
        break;
    case NW_IPR_DEVICE:
        *pointer_p = interop->foreign.device;
        break;
    case NW_IPR_DEVICE_CONTEXT:
        *pointer_p = interop->foreign.context;
        break;
    default: {
        nw_status_t status = open_queue(interop, pointer_p);
        if (status != NW_OK && status != NW_ERR_UNSUPPORTED) {
            nw_log(NW_LOG_ERROR, "no queue of device %d for an interop object: %s", (int)interop->number,
                   nw_reason_take(nw_status_text(status)));
            return NW_IRC_OTHER;
        }
        break;
    }
    }
    return *pointer_p ? NW_IRC_SUCCESS : NW_IRC_NO_VALUE;
}

int nw_interop_get(nw_interop_t *interop, int property, int type, nw_interop_value_t *value_p)
{
    int actual = nw_interop_type(property);
    *value_p = (nw_interop_value_t){0};
    if (!interop)
        return NW_IRC_EMPTY;
    if (actual == NW_IRC_OUT_OF_RANGE || actual != type)
        return actual;
    switch (property) {
    case NW_IPR_FR_ID:
        value_p->integer = interop->foreign.runtime;
        return NW_IRC_SUCCESS;
    case NW_IPR_VENDOR:
        value_p->integer = interop->foreign.vendor;
        return NW_IRC_SUCCESS;
    case NW_IPR_DEVICE_NUM:
        value_p->integer = (intptr_t)interop->number;
        return NW_IRC_SUCCESS;
    case NW_IPR_FR_NAME:
        value_p->string = runtime_name(interop->foreign.runtime);
        return NW_IRC_SUCCESS;
    case NW_IPR_VENDOR_NAME:
        value_p->string = vendor_name(interop->foreign.vendor);
        return NW_IRC_SUCCESS;
    default:
        return pointer_property(interop, property, &value_p->pointer);
    }
}

nw_status_t nw_interop_wait(nw_interop_t *interop)
{
    void *queue = opened_queue(interop);
    nw_status_t status = NW_OK;
    if (queue)
        status = interop->device->base.ops->queue_wait(&interop->device->base, queue);
    if (status == NW_OK)
        nw_interop_run_callbacks(interop);
    return status;
}

nw_status_t nw_interop_notify(nw_interop_t *interop, void (*over)(void *argument, nw_status_t status), void *argument,
                              _Atomic uint32_t *on_device)
{
    void *queue = opened_queue(interop);
    if (queue)
        return interop->device->base.ops->queue_notify(&interop->device->base, queue, over, argument, on_device);
    over(argument, NW_OK);
    return NW_OK;
}

nw_status_t nw_interop_add_callback(nw_interop_t *interop, nw_interop_callback_t function, void *data)
{
    callback_t *callback = malloc(sizeof *callback);
    if (!callback)
        return NW_ERR_NO_MEMORY;
    *callback = (callback_t){.function = function, .data = data};
    pthread_mutex_lock(&interop->lock);
    *interop->last_callback = callback;
    interop->last_callback = &callback->next;
    pthread_mutex_unlock(&interop->lock);
    return NW_OK;
}

void nw_interop_run_callbacks(nw_interop_t *interop)
{
    pthread_mutex_lock(&interop->lock);
    callback_t *next, *callback = interop->callbacks;
    interop->callbacks = NULL;
    interop->last_callback = &interop->callbacks;
    pthread_mutex_unlock(&interop->lock);
    for (; callback; callback = next) {
        next = callback->next;
        callback->function(interop, callback->data);
        free(callback);
    }
}

nw_interop_t *nw_interop_implicit(nw_core_device_t *device, int64_t number, int32_t gtid)
{
    pthread_mutex_lock(&implicit_lock);
    nw_interop_t *interop = implicit;
    while (interop && (interop->gtid != gtid || interop->number != number || interop->device != device))
        interop = interop->next_implicit;
    if (!interop && !ended) {
        interop = nw_interop_new(device, number);
        if (interop) {
            interop->is_implicit = true;
            interop->gtid = gtid;
            interop->next_implicit = implicit;
            implicit = interop;
        }
    }
    pthread_mutex_unlock(&implicit_lock);
    if (interop && !interop->dirty) {
        interop->dirty = true;
        dirty++;
    }
    return interop;
}

bool nw_interop_is_implicit(const nw_interop_t *interop)
{
    return interop->is_implicit;
}

/* The thread's next object that is dirty; makes it clean. NULL: there is none, or the devices are gone. */
static nw_interop_t *next_dirty(int32_t gtid)
{
    pthread_mutex_lock(&implicit_lock);
    nw_interop_t *interop = ended ? NULL : implicit;
    while (interop && (interop->gtid != gtid || !interop->dirty))
        interop = interop->next_implicit;
    if (interop)
        interop->dirty = false;
    pthread_mutex_unlock(&implicit_lock);
    return interop;
}

void nw_interop_sync_implicit(int32_t gtid)
{
    if (NW_LIKELY(dirty == 0))
        return;
    dirty = 0;
    for (nw_interop_t *interop = next_dirty(gtid); interop; interop = next_dirty(gtid)) {
        nw_status_t status = nw_interop_wait(interop);
        if (status != NW_OK)
            nw_fatal(NULL, "foreign tasks on device %d failed: %s", (int)interop->number,
                     nw_reason_take(nw_status_text(status)));
    }
}

void nw_interop_end(void)
{
    pthread_mutex_lock(&implicit_lock);
    ended = true;
    pthread_mutex_unlock(&implicit_lock);
}
