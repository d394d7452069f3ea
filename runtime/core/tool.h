/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a performance or debugging tool (OMPT) is told about devices, constructs and data.
 *
 * libomp finds the tool; tasking/tool_connect.c asks it for the tool's callbacks and attaches them here. While no tool
 * is attached, an operation's `tool` is NULL and the functions below are not called: every place that calls them has
 * tested that, or nw_tool_attached(), first.
 *
 * A region's events, and the thread that tells them:
 *   target begin, map, allocations   the one that dispatches it, when it has been decided
 *   transfers, submit                the one that executes it: a device's thread, if the region is deferred
 *   deletions, target end            the one that saw it finish, before anybody hears that it is over
 * A construct without nowait tells all on the encountering thread, and each allocation just before its transfer.
 * No lock is held while a callback runs, but for device_initialize (core/devices.c).
 */
#ifndef NW_TOOL_H
#define NW_TOOL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/construct.h"
#include "core/ompt.h"
#include "core/transfer.h"
#include "support/log.h"

/* A tool's callbacks, NULL where it has none, and what is needed of libomp. */
typedef struct nw_tool_callbacks {
#define NW_TOOL_FIELD(name, number, parameters) nw_ompt_##name##_t name;
    NW_OMPT_CALLBACKS(NW_TOOL_FIELD)
#undef NW_TOOL_FIELD
    nw_ompt_data_t *(*task_data)(void);        /* of the task that the calling thread runs; NULL for a foreign thread */
    nw_ompt_data_t *(*target_task_data)(void); /* for the target task of a construct without nowait */
    void (*know_thread)(void); /* makes the calling thread known to libomp, so that the tool hears of it first */
} nw_tool_callbacks_t;

/* One region, from its construct to its end. A deferred region's lies in its task. */
typedef struct nw_tool_region {
    nw_ompt_data_t target;       /* the tool's; for a tool with the older callbacks the region's id */
    nw_ompt_data_t *task;        /* the generating task's */
    nw_ompt_data_t *target_task; /* the target task's */
    const void *codeptr;         /* return address of the call that the construct made */
    int32_t kind;                /* NW_OMPT_TARGET etc.; 0: no construct, only its data operations are told */
    uint32_t n_told;             /* steps whose allocations have been told */
} nw_tool_region_t;

extern _Atomic bool nw_tool_is_attached;
extern _Atomic bool nw_tool_may_attach; /* true until it is known that there is no tool */

/* True while there is a tool that wants to hear of devices. */
static inline bool nw_tool_attached(void)
{
    return NW_UNLIKELY(atomic_load_explicit(&nw_tool_is_attached, memory_order_relaxed));
}

/* What a thread remembers. */
typedef struct nw_tool_thread {
    const void *caller;       /* see NW_TOOL_ENTER */
    uint32_t depth;           /* callbacks in progress */
    bool known;               /* to libomp */
    uint64_t host_op_id;      /* the tool's, of the operation in progress */
    nw_ompt_data_t no_target; /* stands for the region of an operation outside regions */
} nw_tool_thread_t;

extern _Thread_local nw_tool_thread_t nw_tool_self;

/* At the head of every function that programs call: remembers the caller's address for what the tool is told. */
#define NW_TOOL_ENTER() \
    do { \
        if (NW_UNLIKELY(atomic_load_explicit(&nw_tool_may_attach, memory_order_relaxed))) \
            nw_tool_self.caller = __builtin_return_address(0); \
    } while (0)

/* Attaches the tool's callbacks; not if it has none of these but for dependences, or is NULL: no tool. Threads: one,
 * before the first construct. */
void nw_tool_attach(const nw_tool_callbacks_t *callbacks);

/* No callback is in progress on another thread when this returns, and none comes after. Threads: any, also one that
 * runs a callback. Blocks: for callbacks in progress, at most a second. */
void nw_tool_detach(void);

/* A deferred construct is encountered: its task is made, and later handed to libomp (which has an address of its own).
 * Threads: the encountering one. */
void nw_tool_region_init(nw_tool_region_t *region) __attribute__((cold));
void nw_tool_region_submitted(nw_tool_region_t *region) __attribute__((cold));

/* The dependences of a task that libomp has been told without. `task`: the tool's data of it, or NULL. */
bool nw_tool_wants_dependences(void);
void nw_tool_dependences(nw_ompt_data_t *task, const nw_ompt_dependence_t *list, int n) __attribute__((cold));

/* The data of the task that the calling thread runs, as libomp sees it. */
nw_ompt_data_t *nw_tool_current_task(void) __attribute__((cold));

/* The region begins on the operation's device. `target_task`: may be NULL. */
void nw_tool_region_begin(nw_op_t *op, nw_construct_kind_t kind, nw_ompt_data_t *target_task) __attribute__((cold));

/* As init, submitted and begin, for a construct without nowait; `region` must stay until the operation is over. */
void nw_tool_region_begin_now(nw_op_t *op, nw_tool_region_t *region, nw_construct_kind_t kind) __attribute__((cold));

/* The operation has been decided, from these entries. */
void nw_tool_decided(nw_op_t *op, nw_construct_kind_t kind, const nw_map_args_t *args) __attribute__((cold));

/* Tells all allocations that have not been told yet. */
void nw_tool_allocations(nw_op_t *op) __attribute__((cold));

/* An executing thread's iterator went from one place to another; now: NULL at the end. See nw_work_next_in. */
void nw_tool_copies(nw_op_t *op, const nw_cursor_t *before, const nw_cursor_t *now, bool in) __attribute__((cold));

/* Likewise for an operation that is a transfer: told as one copy, if it is of this kind and has the host or different
 * devices at its ends. `more`: the iterator has yielded a piece. */
void nw_tool_transfer(nw_op_t *op, nw_transfer_kind_t kind, const nw_cursor_t *before, bool more)
    __attribute__((cold));

/* Before the step gives up its mapping: if that frees the mapping, the step takes over its memory, so that the tool
 * hears of the deletion before the memory is used again. Caller holds the map table's lock. */
void nw_tool_take_block(nw_step_t *step) __attribute__((cold));

/* Frees the memory that the operation's steps own, and tells. */
void nw_tool_free_blocks(nw_op_t *op) __attribute__((cold));

/* The operation is over. */
void nw_tool_region_end(nw_op_t *op) __attribute__((cold));

/* A data operation, here one outside regions: omp_target_alloc and the like. Between its begin and its end the thread
 * tells of no other. */
typedef struct nw_tool_data_op {
    nw_ompt_data_op_t op;
    const void *from, *to;
    int from_device, to_device; /* OpenMP's numbers; the number of devices is the host */
    size_t bytes;
} nw_tool_data_op_t;

void nw_tool_data_op(nw_tool_data_op_t *op, nw_ompt_scope_t scope) __attribute__((cold));

/* Begins one and returns it; for the device, NULL stands for the host. */
nw_tool_data_op_t nw_tool_data_op_begin(nw_ompt_data_op_t kind, const void *to, const nw_core_device_t *to_device,
                                        const void *from, const nw_core_device_t *from_device, size_t bytes)
    __attribute__((cold));

/* Devices and their images. `module` is the same for every device that has loaded the image. */
void nw_tool_device_initialize(nw_core_device_t *device);
void nw_tool_device_finalize(nw_core_device_t *device);
void nw_tool_device_load(nw_core_device_t *device, const void *image, size_t size, uint64_t module);
void nw_tool_device_unload(nw_core_device_t *device, uint64_t module);

#endif
