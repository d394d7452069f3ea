/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The slot of a target task, and the forms that such tasks have on stock libomp.
 *
 * A target task's memory ends in its slot, which holds the whole asynchronous operation. How libomp sees the task is
 * its form:
 *
 *   PROXY     in a team of one thread, the usual form: the task is dispatched inside its construct, if what it depends
 *             on allows that, and stays incomplete, without holding a thread, until the device's completion completes
 *             it. On the initial thread libomp is not even told that the task begins. Elsewhere it is, and still looks
 *             at the task after its routine has returned, so the construct holds it until then.
 *   DETACHED  an ordinary deferred task that is completed through its event. For all tasks in a team of several
 *             threads, dispatched inside the construct likewise; for tasks whose entry may run the region on the host
 *             (without the plugin, until its code or a run has shown what it does); and for tasks that may be
 *             cancelled: libomp drops the entry of a cancelled task, and a proxy task would then never complete, and a
 *             requeued one never leave the queue.
 *   BLOCK     an ordinary task that waits for its operation: block mode, regions that share data with the thread that
 *             runs them (in_reduction), and those that a thread launches when its end has come (thread_end.h).
 *   REQUEUE   LLVM's own scheme: the task goes back to libomp's queue until a query says that it is done.
 *   HOST      an ordinary task that runs the host version: there is no device for it.
 */
#ifndef NW_SLOT_H
#define NW_SLOT_H

#include "core/op.h"
#include "tasking/capture.h"
#include "tasking/graph.h"
#include "tasking/launcher.h"
#include "tasking/libomp.h"
#include "tasking/libomp_order.h"
#include "tasking/team_wait.h"

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
    int32_t gtid;              /* likewise */
    uint8_t form;              /* nw_task_form_t */
    bool in_place;             /* completed wholly by the thread that sees the device finish */
    bool plugin;               /* compiled with the plugin */
    bool dispatched;           /* an operation has been submitted */
    bool waits;                /* the dispatch itself waits for the operation */
    bool captures;             /* the entry is being run for its arguments only */
    bool entered;              /* its entry has run, or will when its place in the graph allows, without libomp */
    nw_launcher_t *launcher;   /* its thread, if it is a free running region of it */
    nw_node_t *node;           /* its place in the graph of dependences; NULL: it has none, or is over there */
    nw_captured_t *captured;   /* values that travel by address, until the dispatch */
    bool captured_stack;       /* by nw_capture_stack */
    uint8_t kind;              /* nw_entry_kind_t, as it was known when the task was made, or as the run showed */
    bool calls;                /* its entry is to be called when all that it depends on is over */
    bool depends;              /* libomp has its dependences */
    bool ordered;              /* it has dependences, which are the graph's alone: libomp knows of none */
    size_t private_size;       /* bytes of the task behind its head, as compiled code asked for */
    void *event;               /* DETACHED: libomp's completion event, */
    int32_t runner;            /* the thread that has asked for it, */
    const void *runner_task;   /* and what it runs meanwhile: nw_libomp_current_task */
    nw_team_regions_t *team_regions; /* where it counts; NULL: not relayed */
    bool relayed;              /* DETACHED, in a team: its event is fulfilled by the team, through */
    nw_kmp_task_t *relay;      /* this; NULL: it has not detached */
#ifdef NW_TELLS_ORDER
    nw_order_told_t order;
#endif
    /* What must be over before the task is completed: the entry's run, and the operation. Whoever takes the last one
     * completes the task, and thereby may free this slot. */
    _Atomic uint32_t holds;
    _Alignas(16) nw_op_t op;   /* its steps and arguments follow */
} nw_slot_t;

/* Whether the end of its operation ends it for its launcher: what is left then is for a thread of the team to do, which
 * may be that one. */
static inline bool nw_slot_frees_launcher_early(const nw_slot_t *slot)
{
    return slot->entered && slot->form == NW_TASK_DETACHED;
}

#endif
