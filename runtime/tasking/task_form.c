/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/task_form.h"

#include "core/tool.h"
#include "support/log.h"
#include "support/settings.h"
#include "tasking/policy.h"
#include "tasking/requeue.h"
#include "tasking/thread_end.h"

bool nw_task_may_be_cancelled(void)
{
    static _Atomic int known;
    int value = atomic_load_explicit(&known, memory_order_relaxed);
    if (NW_UNLIKELY(!value)) {
        value = nw_libomp()->cancellation() ? 2 : 1;
        atomic_store_explicit(&known, value, memory_order_relaxed);
    }
    return value == 2;
}

bool nw_task_graph_is_used(void)
{
    return nw_settings.completion == NW_COMPLETION_EVENT && !nw_task_may_be_cancelled();
}

nw_graph_t *nw_task_graph(const nw_ident_t *loc, int32_t gtid)
{
    nw_graph_t *graph = nw_graph_of(nw_libomp_current_task(gtid));
    if (NW_UNLIKELY(!graph))
        nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    return graph;
}

/*
 * A tool's data of a task lies in libomp's part of the task, at the same distance in each. libomp gives its address for
 * the current task only, and a target task of the form PROXY never is that: an empty one shows the distance.
 */
#define NOT_KNOWN PTRDIFF_MAX
#define NO_DATA 0
static _Atomic ptrdiff_t tool_data_distance = NOT_KNOWN;

void nw_task_find_tool_data(nw_ident_t *loc, int32_t gtid)
{
    if (atomic_load_explicit(&tool_data_distance, memory_order_relaxed) != NOT_KNOWN)
        return;
    const nw_libomp_t *omp = nw_libomp();
    nw_kmp_task_t *task = omp->task_alloc(loc, gtid, NW_KMP_TIED, sizeof *task, 0, nw_libomp_empty_routine);
    omp->task_begin_if0(loc, gtid, task);
    nw_ompt_data_t *data = nw_tool_current_task();
    ptrdiff_t distance = data ? (char *)data - (char *)task : NO_DATA;
    omp->task_complete_if0(loc, gtid, task);
    atomic_store_explicit(&tool_data_distance, distance, memory_order_relaxed);
}

nw_ompt_data_t *nw_task_tool_data(const nw_slot_t *slot)
{
    ptrdiff_t distance = atomic_load_explicit(&tool_data_distance, memory_order_relaxed);
    return distance == NO_DATA ? NULL : (nw_ompt_data_t *)((char *)slot->task + distance);
}

nw_task_form_t nw_task_form_choose(const nw_task_request_t *request, int64_t device, nw_entry_kind_t kind)
{
    bool waited_for = nw_thread_end_expect();
    if (device == NW_HOST_DEVICE || kind == NW_ENTRY_HOST_ONLY)
        return NW_TASK_HOST;
    if (NW_UNLIKELY(!waited_for) || nw_settings.completion == NW_COMPLETION_BLOCK || request->in_reduction ||
        kind == NW_ENTRY_REDUCES)
        return NW_TASK_BLOCK;
    if (nw_task_may_be_cancelled())
        return NW_TASK_DETACHED;
    if (nw_settings.completion == NW_COMPLETION_REQUEUE && nw_requeue_can_be())
        return NW_TASK_REQUEUE;
    if (kind == NW_ENTRY_UNKNOWN)
        return NW_TASK_DETACHED;
    return nw_libomp()->num_threads() > 1 ? NW_TASK_DETACHED : NW_TASK_PROXY;
}
