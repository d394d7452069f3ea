/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Target tasks: made, handed to libomp, dispatched. What they are: slot.h; how they end: completion.h. */
#ifndef NW_TARGET_TASK_H
#define NW_TARGET_TASK_H

#include "core/construct.h"
#include "core/transfer.h"
#include "tasking/slot.h"

/* What a target task's maker knows. */
typedef struct nw_task_request {
    nw_ident_t *loc;
    int32_t gtid;
    int32_t flags;
    size_t sizeof_task;
    size_t sizeof_shareds;
    nowait_task_entry_t entry;
    int64_t device;
    uint32_t n_maps;
    bool plugin;
    bool in_reduction; /* with the plugin: known from the start */
    bool calls;        /* the entry does not dispatch: it is to be called when the dependences are met, by any thread */
} nw_task_request_t;

/* Makes a target task with an idle slot; see __nowait_target_task_alloc. */
nw_kmp_task_t *nw_target_task_alloc(const nw_task_request_t *request);

/* Hands a target task to libomp; see __nowait_target_task. n_deps and n_noalias of 0: no dependences. */
int32_t nw_target_task_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, bool has_deps, int32_t n_deps,
                              struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias);

/* The slot of a task from nw_target_task_alloc. */
nw_slot_t *nw_target_task_slot(const nw_kmp_task_t *task);

/* The slot of the target task whose entry this thread is running, or NULL. */
nw_slot_t *nw_target_task_current(void);

/* True for tasks from nw_target_task_alloc, false for host tasks. */
bool nw_target_task_is_ours(const nw_kmp_task_t *task);

/*
 * Dispatches the construct of a target task, inside its entry. Returns false if the caller must run the host version.
 * `launch`: NULL for data constructs. Blocks: never in the forms PROXY and DETACHED.
 */
bool nw_target_task_dispatch(nw_slot_t *slot, int32_t gtid, nw_ident_t *loc, nw_construct_kind_t kind,
                             const nw_map_args_t *args, const nw_region_launch_t *launch);

/* As above, for a task whose operation is one transfer: false if the caller must carry it out itself. The transfer must
 * last as long as the task. */
bool nw_target_task_dispatch_transfer(nw_slot_t *slot, int32_t gtid, nw_ident_t *loc, const nw_transfer_t *transfer);

/* The device that a dispatch on this slot will use; NULL: the host. */
nw_core_device_t *nw_target_task_device(const nw_slot_t *slot);

/* Warns, once, that a deferred construct reached the runtime outside a target task of its making, and so has to run
 * like one without nowait. */
void nw_target_task_warn_bypassed(const nw_ident_t *loc);

/* Must be called before the first task is made. Threads: one. */
void nw_target_task_prepare(void);

/* After fork, in the child: the calling thread has launched nothing, and libomp knows it by another number. */
void nw_target_task_after_fork(void);

/* Notes that the entry in progress on this thread reads a reduction's private copy; see NW_TASK_BLOCK. */
void nw_target_task_note_reduction(void);

#endif
