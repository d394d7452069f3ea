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

static void foreign_tasks_over(void *argument, nw_status_t status)
{
    order_task_t *task = argument;
    if (status != NW_OK)
        fail(task->loc, status);
    finish(&task->order);
    nw_completion_release(nw_target_task_slot(&task->head));
}

/* Starts when the dependences are met. */
static int32_t entry(int32_t gtid, void *task_memory)
{
    (void)gtid;
    order_task_t *task = task_memory;
    if (!nw_completion_hold(nw_target_task_slot(&task->head))) {
        wait_and_finish(task->loc, &task->order);
        return 0;
    }
    nw_status_t status = nw_interop_notify(task->order.interop, foreign_tasks_over, task);
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

void nw_order_later(nw_ident_t *loc, int32_t gtid, const nw_order_t *order)
{
    nw_dependence_lists_t d = order->dependences;
    if (!order->interop) {
        nw_dependence_join(loc, gtid, &d);
        return;
    }
    /* Foreign tasks that are added from now on must come after this task, and nothing in the queue waits for OpenMP
     * tasks. */
    if (nw_interop_has_tasks(order->interop) && (d.n > 0 || d.n_noalias > 0)) {
        nw_dependence_wait(loc, gtid, &d);
        d = (nw_dependence_lists_t){.n = 0};
    }
    bool depends = d.n > 0 || d.n_noalias > 0;
    nw_kmp_task_t *head = nw_target_task_alloc(&(nw_task_request_t){.loc = loc,
                                                                    .gtid = gtid,
                                                                    .flags = NW_KMP_TIED,
                                                                    .sizeof_task = sizeof(order_task_t),
                                                                    .entry = entry,
                                                                    .device = NW_DEFAULT_DEVICE,
                                                                    .plugin = true});
    order_task_t *task = (order_task_t *)head;
    task->order = *order;
    task->loc = loc;
    (void)nw_target_task_submit(loc, gtid, head, depends, d.n, d.list, d.n_noalias, d.noalias);
}
