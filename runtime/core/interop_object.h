/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Interop objects (OpenMP 5.2, 14.1 and 18.12): a program's way to the runtime underneath a device, and to a queue of
 * it in which the program's own work, its foreign tasks, is ordered with its OpenMP tasks.
 *
 * Clang drops targetsync where a directive says target and targetsync, so every object can give a queue; it is opened
 * when somebody asks for it. An object whose queue nobody has asked for has no foreign tasks.
 */
#ifndef NW_INTEROP_OBJECT_H
#define NW_INTEROP_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/devices.h"

typedef struct nw_interop nw_interop_t;

/* omp_interop_property_t. */
enum {
    NW_IPR_FR_ID = -1,
    NW_IPR_FR_NAME = -2,
    NW_IPR_VENDOR = -3,
    NW_IPR_VENDOR_NAME = -4,
    NW_IPR_DEVICE_NUM = -5,
    NW_IPR_PLATFORM = -6,
    NW_IPR_DEVICE = -7,
    NW_IPR_DEVICE_CONTEXT = -8,
    NW_IPR_TARGETSYNC = -9,
    NW_IPR_FIRST = -9
};

/* omp_interop_rc_t. */
enum {
    NW_IRC_NO_VALUE = 1,
    NW_IRC_SUCCESS = 0,
    NW_IRC_EMPTY = -1,
    NW_IRC_OUT_OF_RANGE = -2,
    NW_IRC_TYPE_INT = -3,
    NW_IRC_TYPE_PTR = -4,
    NW_IRC_TYPE_STR = -5,
    NW_IRC_OTHER = -6
};

/* A property's value; which member is valid follows from the property. */
typedef union nw_interop_value {
    intptr_t integer;
    void *pointer;
    const char *string;
} nw_interop_value_t;

/* ompx_interop_cb_t: called when the foreign tasks before a synchronisation are over. */
typedef void (*nw_interop_callback_t)(nw_interop_t *interop, void *data);

/* Makes an object for device `number`, or for the host if device is NULL. Returns NULL when memory is out. */
nw_interop_t *nw_interop_new(nw_core_device_t *device, int64_t number);

/* Ends the object. Nothing may be in its queue, and nobody may wait for it. */
void nw_interop_free(nw_interop_t *interop);

/* Returns the NW_IRC_TYPE_* of a property, or NW_IRC_OUT_OF_RANGE. */
int nw_interop_type(int property);

/* Gets a property as `type` (NW_IRC_TYPE_*). Returns NW_IRC_SUCCESS, or why *value_p is zero. interop: may be NULL, an
 * empty object. Threads: any. */
int nw_interop_get(nw_interop_t *interop, int property, int type, nw_interop_value_t *value_p);

/* True if programs can put foreign tasks into the object's queue, now or later. */
bool nw_interop_may_have_tasks(const nw_interop_t *interop);

/* Has foreign tasks that the program adds from now on come after the works that are on their devices now (device.h:
 * queue_follow). The queue is opened if it is not. NW_ERR_UNSUPPORTED: it can't, or callbacks have to come first.
 * Blocks: never. */
nw_status_t nw_interop_follow(nw_interop_t *interop) NW_MUST_CHECK;

/* Returns when the foreign tasks that are in the queue now are over, and after the callbacks. Blocks. */
nw_status_t nw_interop_wait(nw_interop_t *interop) NW_MUST_CHECK;

/* Calls over(argument, status) when the foreign tasks that are in the queue now are over; see queue_notify. Blocks:
 * never. The callbacks are the caller's affair. */
nw_status_t nw_interop_notify(nw_interop_t *interop, void (*over)(void *argument, nw_status_t status), void *argument,
                              _Atomic uint32_t *on_device) NW_MUST_CHECK;

/* Adds a callback for the next synchronisation. */
nw_status_t nw_interop_add_callback(nw_interop_t *interop, nw_interop_callback_t callback, void *data) NW_MUST_CHECK;

/* Calls the callbacks, in the order in which they were added, and forgets them. */
void nw_interop_run_callbacks(nw_interop_t *interop);

/*
 * Implicit objects belong to the library (construct dispatch of OpenMP 6.0). Each is one thread's: it is found again by
 * the thread's number, and synchronised wherever that thread waits for its tasks.
 * Returns NULL when memory is out. Threads: the one of that number.
 */
nw_interop_t *nw_interop_implicit(nw_core_device_t *device, int64_t number, int32_t gtid);

bool nw_interop_is_implicit(const nw_interop_t *interop);

/* Synchronises the implicit objects that the thread has got since it last did. Cheap if there are none; safe at any
 * time, also when the library is about to go. Blocks: if there are some. */
void nw_interop_sync_implicit(int32_t gtid);

/* The devices are about to go: from now on there are no implicit objects, and nothing to synchronise. */
void nw_interop_end(void);

#endif
