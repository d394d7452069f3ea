/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Target tasks on stock libomp.
 *
 * A target task's memory ends in its slot, which holds the whole asynchronous operation. How libomp sees the task is
 * its form:
 *
 *   PROXY     libomp calls the entry as soon as nothing is left that the task depends on, inside the construct on the
 *             encountering thread if that is at once. The entry dispatches and returns; the task stays incomplete and
 *             holds no thread until the device's completion completes it. The usual form. libomp still looks at a proxy
 *             task after its entry has returned, so it must not be completed, and freed by another thread, before that.
 *             Tasks that start inside their construct are held until libomp has returned. Tasks that may start later
 *             have this form only in a team of one thread. There, either they are started by that thread, and then
 *             nobody else can free them; or by a device's thread that completes another task in place, which holds
 *             them until libomp has returned to it.
 *   DETACHED  an ordinary deferred task that is completed through its event. For tasks with dependences in a team of
 *             several threads, dispatched inside the construct if nothing is left that they depend on; for tasks whose
 *             entry may run the region on the host (known only after it has run once, without the plugin); and for
 *             tasks that may be cancelled: libomp drops the entry of a cancelled task, and a proxy task would then
 *             never complete, and a requeued one never leave the queue.
 *   BLOCK     an ordinary task that waits for its operation: block mode, and regions that share data with the thread
 *             that runs them (in_reduction).
 *   REQUEUE   LLVM's own scheme: the task goes back to libomp's queue until a query says that it is done.
 *   HOST      an ordinary task that runs the host version: there is no device for it.
 */
#ifndef NW_TARGET_TASK_H
#define NW_TARGET_TASK_H

#include "core/construct.h"
#include "core/transfer.h"
#include "tasking/capture.h"
#include "tasking/dependences.h"
#include "tasking/launcher.h"
#include "tasking/libomp.h"

typedef enum nw_task_form {
    NW_TASK_PROXY,
    NW_TASK_DETACHED,
    NW_TASK_BLOCK,
    NW_TASK_REQUEUE,
    NW_TASK_HOST
} nw_task_form_t;

typedef struct nw_slot {
    nw_kmp_task_t *task;
    nowait_task_entry_t entry; /* the compiler's */
    nw_ident_t *loc;
    int64_t device;            /* resolved when the task was made; NW_HOST_DEVICE: host */
    int32_t flags;             /* of the allocation, as compiled code passed them */
    uint8_t form;              /* nw_task_form_t */
    bool in_place;             /* completed wholly by the thread that sees the device finish */
    bool plugin;               /* compiled with the plugin */
    bool dispatched;           /* an operation has been submitted */
    bool waits;                /* the dispatch itself waits for the operation */
    bool captures;             /* the entry is being run for its arguments only */
    bool entered;              /* its entry has run, inside its construct */
    nw_launcher_t *launcher;   /* its thread, if it is a free running region of it */
    nw_named_t named;          /* DETACHED: what it counts by in the table of dependences */
    struct nw_slot *next_started; /* on the list of regions that a completion in place has started */
    nw_captured_t *captured;   /* values that travel by address, until the dispatch */
    bool captured_stack;       /* by nw_capture_stack */
    uint8_t kind;              /* nw_entry_kind_t, as it was known when the task was made, or as the run showed */
    bool depends;              /* submitted with dependences */
    size_t private_size;       /* bytes of the task behind its head, as compiled code asked for */
    void *event;               /* DETACHED: libomp's completion event, */
    int32_t runner;            /* the thread that has asked for it, */
    const void *runner_task;   /* and what it runs meanwhile: nw_libomp_current_task */
    /* What must be over before the task is completed: the entry's run, and the operation. Whoever takes the last one
     * completes the task, and thereby may free this slot. */
    _Atomic uint32_t holds;
    _Alignas(16) nw_op_t op;   /* its steps and arguments follow */
} nw_slot_t;

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
    bool in_reduction; /* with the plugin: known from the start; likewise: */
    bool depends;
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

/* Ends the libomp side of a task in requeue mode whose operation is over, before libomp hears of it. */
void nw_target_task_requeued_over(nw_op_t *op);

/* Warns, once, that a deferred construct reached the runtime outside a target task of its making, and so has to run
 * like one without nowait. */
void nw_target_task_warn_bypassed(const nw_ident_t *loc);

/* For a task's entry: keeps the task from completing until nw_target_task_release, which any thread may call, as its
 * last touch of the task. Returns false where a task is complete when its entry returns. */
bool nw_target_task_hold(nw_slot_t *slot);
void nw_target_task_release(nw_slot_t *slot);

/* After fork, in the child: the calling thread has launched nothing, and libomp knows it by another number. */
void nw_target_task_after_fork(void);

/* Notes that the entry in progress on this thread reads a reduction's private copy; see NW_TASK_BLOCK. */
void nw_target_task_note_reduction(void);

#endif
