/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/order_task.h"

#include "support/log.h"
#include "support/reason.h"
#include "tasking/completion.h"
#include "tasking/policy.h"
#include "tasking/target_task.h"

/* The task's memory: libomp's head, the construct; the slot follows. */
typedef struct order_task {
    nw_kmp_task_t head;
    nw_order_t order;
    const nw_ident_t *loc;
    /* Where it counts among what is on devices: from its construct on if the queue follows all that it depends on, so
     * that what follows the queue follows the task. NULL: it does not. */
    _Atomic uint32_t *on_device;
} order_task_t;

_Noreturn static void fail(const nw_ident_t *loc, nw_status_t status)
{
    nw_fatal(loc, "foreign tasks of an interop object failed: %s", nw_reason_take(nw_status_text(status)));
}

static void finish(const nw_order_t *order)
{
    if (order->interop && order->runs_callbacks)
        nw_interop_run_callbacks(order->interop);
    if (order->interop && order->destroys)
        nw_interop_free(order->interop);
}

static void wait_and_finish(const nw_ident_t *loc, const nw_order_t *order)
{
    if (order->interop && order->runs_callbacks) {
        nw_status_t status = nw_interop_wait(order->interop);
        if (status != NW_OK)
            fail(loc, status);
    }
    finish(order);
}

static void count_out(const order_task_t *task)
{
    if (task->on_device)
        atomic_fetch_sub_explicit(task->on_device, 1, memory_order_release);
}

static void foreign_tasks_over(void *argument, nw_status_t status)
{
    order_task_t *task = argument;
    if (status != NW_OK)
        fail(task->loc, status);
    finish(&task->order);
    count_out(task);
    nw_completion_release(nw_target_task_slot(&task->head));
}

/* Starts when the dependences are met. */
static int32_t entry(int32_t gtid, void *task_memory)
{
    (void)gtid;
    order_task_t *task = task_memory;
    nw_slot_t *slot = nw_target_task_slot(&task->head);
    if (!nw_completion_hold(slot)) {
        wait_and_finish(task->loc, &task->order);
        count_out(task);
        return 0;
    }
    _Atomic uint32_t *counts = task->on_device ? NULL : nw_launcher_on_device(slot->launcher);
    nw_status_t status = nw_interop_notify(task->order.interop, foreign_tasks_over, task, counts);
    if (status != NW_OK)
        fail(task->loc, status);
    return 0;
}

void nw_order_now(nw_ident_t *loc, int32_t gtid, const nw_order_t *order)
{
    if (order->dependences.n > 0 || order->dependences.n_noalias > 0)
        nw_dependence_wait(loc, gtid, &order->dependences);
    wait_and_finish(loc, order);
}

/*
 * Foreign tasks that the program adds from now on must come after the construct's task, and nothing in the queue waits
 * for OpenMP tasks. But if all that the task may have to wait for is on devices, the queue can wait for it there.
 * Returns where the task counts then; NULL: it has to be waited for here.
 */
static _Atomic uint32_t *follow(const nw_order_t *order)
{
    _Atomic uint32_t *on_device = nw_launcher_all_on_device();
    if (!on_device || nw_libomp()->cancellation())
        return NULL;
    if (nw_interop_follow(order->interop) == NW_OK) {
        atomic_fetch_add_explicit(on_device, 1, memory_order_relaxed);
        return on_device;
    }
    (void)nw_reason_take("");
    return NULL;
}

void nw_order_later(nw_ident_t *loc, int32_t gtid, const nw_order_t *order)
{
    nw_dependence_lists_t d = order->dependences;
    if (!order->interop) {
        nw_dependence_join(loc, gtid, &d);
        return;
    }
    bool depends = d.n > 0 || d.n_noalias > 0;
    _Atomic uint32_t *on_device = NULL;
    bool more_to_come = !order->destroys && nw_interop_may_have_tasks(order->interop);
    /* The task keeps its dependences after the wait: what comes later waits for the task. */
    if (more_to_come && depends && !(on_device = follow(order)))
        nw_dependence_wait(loc, gtid, &d);
    nw_kmp_task_t *head = nw_target_task_alloc(&(nw_task_request_t){.loc = loc,
                                                                    .gtid = gtid,
                                                                    .flags = NW_KMP_TIED,
                                                                    .sizeof_task = sizeof(order_task_t),
                                                                    .entry = entry,
                                                                    .calls = true,
                                                                    .device = NW_DEFAULT_DEVICE,
                                                                    .plugin = true});
    order_task_t *task = (order_task_t *)head;
    task->order = *order;
    task->loc = loc;
    task->on_device = on_device;
    (void)nw_target_task_submit(loc, gtid, head, depends, d.n, d.list, d.n_noalias, d.noalias);
}
