/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/completion.h"

#include <sched.h>

#include "core/stats.h"
#include "device/device_thread.h"
#include "support/clock.h"
#include "support/log.h"
#include "tasking/dependence_wait.h"
#include "tasking/relay.h"
#include "tasking/task_trace.h"
#include "tasking/team_wait.h"

static _Thread_local struct {
    const nw_slot_t *leaving; /* a detached task whose routine is at its end */
    int32_t gtid_plus_one;    /* 0: not asked yet */
} self;

/* The calling thread's number in libomp; a device's thread becomes known to libomp by asking. */
static int32_t own_gtid(void)
{
    static nw_ident_t loc = {.flags = 2, .psource = ";unknown;unknown;0;0;;"};
    if (NW_UNLIKELY(self.gtid_plus_one == 0)) {
        self.gtid_plus_one = nw_libomp()->global_thread_num(&loc) + 1;
        nw_device_thread_met_libomp();
    }
    return self.gtid_plus_one - 1;
}

/* Runs the destructors of firstprivate variables. libomp would do so when the entry returns, and in requeue mode again
 * and again; here it is when the region is over. */
static void destroy(const nw_slot_t *slot)
{
    if (slot->flags & NW_KMP_DESTRUCTORS)
        slot->task->data1.destructors(0, slot->task);
}

void nw_completion_wait_until_left(int32_t runner, const void *task)
{
    while (task && nw_libomp_current_task(runner) == task)
        sched_yield();
}

/* By a thread of the task's team, through its relay. */
NW_IN_RECYCLED_TASK static void fulfil(void *slot_memory)
{
    const nw_slot_t *slot = slot_memory;
    nw_completion_wait_until_left(slot->runner, slot->runner_task);
    nw_team_region_ends(slot->team_regions);
    nw_libomp()->fulfill_event(slot->event);
}

void nw_completion_detach(nw_slot_t *slot, int32_t gtid)
{
    slot->event = nw_libomp()->task_allow_completion_event(slot->loc, gtid, slot->task);
    slot->runner = gtid;
    slot->runner_task = nw_libomp_current_task(gtid);
    if (slot->relayed)
        slot->relay = nw_relay_make(slot->loc, gtid, fulfil, slot);
}

/* Completes the task: the last touch of its slot. */
static void complete(nw_slot_t *slot)
{
    const nw_libomp_t *omp = nw_libomp();
    nw_kmp_task_t *task = slot->task;
    nw_kmp_task_t *relay = slot->relay;
    void *event = slot->event;
    bool proxy = slot->form == NW_TASK_PROXY, in_place = slot->in_place, dispatched = slot->dispatched;
    /* Of one that was dispatched early, its operation's end has told the launcher. */
    nw_launcher_t *launcher = nw_slot_frees_launcher_early(slot) ? NULL : slot->launcher;
    nw_node_t *node = slot->node;
    destroy(slot);
    if (relay)
        nw_team_region_calls(slot->team_regions);
    else if (slot->team_regions)
        nw_team_region_ends(slot->team_regions);
    if (event && !relay && self.leaving != slot)
        nw_completion_wait_until_left(slot->runner, slot->runner_task);
    NW_ORDER(ends(&slot->order, task));
    /* The slot is not touched from here on. */
    if (dispatched)
        nw_stats_region_ends();
    if (in_place && (proxy || event))
        omp->proxy_task_completed_in_place(own_gtid(), task);
    else if (proxy)
        omp->proxy_task_completed(task);
    else if (relay)
        nw_relay_start(relay);
    else if (event)
        omp->fulfill_event(event);
    nw_dependence_wait_event();
    if (launcher)
        nw_launcher_region_ends(launcher);
    if (NW_UNLIKELY(node != NULL))
        nw_node_over(node);
}

void nw_completion_requeued(nw_op_t *op)
{
    destroy((nw_slot_t *)((char *)op - offsetof(nw_slot_t, op)));
}

/* As complete. */
static __attribute__((cold, noinline)) void complete_traced(nw_slot_t *slot)
{
    nw_trace_mark_t mark = {.op = slot->op.work.trace.op, .since = nw_clock_ns()};
    complete(slot);
    nw_task_trace_released(mark);
}

void nw_completion_release(nw_slot_t *slot)
{
    /* Acquire and release: the last one sees what the other did. */
    if (atomic_fetch_sub_explicit(&slot->holds, 1, memory_order_acq_rel) != 1)
        return;
    if (NW_UNLIKELY(slot->op.work.trace.op))
        complete_traced(slot);
    else
        complete(slot);
}

bool nw_completion_hold(nw_slot_t *slot)
{
    if (slot->form != NW_TASK_PROXY && slot->form != NW_TASK_DETACHED)
        return false;
    atomic_fetch_add_explicit(&slot->holds, 1, memory_order_relaxed);
    return true;
}

void nw_completion_leave(nw_slot_t *slot)
{
    self.leaving = slot;
    nw_completion_release(slot);
    self.leaving = NULL;
}

void nw_completion_after_fork(void)
{
    self.gtid_plus_one = 0;
}
