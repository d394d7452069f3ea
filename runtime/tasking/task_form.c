/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/task_form.h"

#include "core/tool.h"
#include "support/log.h"
#include "support/settings.h"
#include "tasking/policy.h"

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

/*
 * A tool's data of a task lies in libomp's part of the task, at a distance that the first target task to run shows:
 * while its entry runs it is libomp's current task. Tasks of the form PROXY never are, so with a tool the first one is
 * not of that form.
 */
#define LONGEST_DISTANCE 4096
static _Atomic ptrdiff_t tool_data_distance; /* 0: not known yet */

nw_ompt_data_t *nw_task_tool_data(const nw_slot_t *slot)
{
    ptrdiff_t distance = atomic_load_explicit(&tool_data_distance, memory_order_relaxed);
    if (slot->form == NW_TASK_PROXY)
        return distance ? (nw_ompt_data_t *)((char *)slot->task + distance) : NULL;
    nw_ompt_data_t *data = nw_tool_current_task();
    if (data && !distance) {
        distance = (char *)data - (char *)slot->task;
        if (distance < 0 && distance > -LONGEST_DISTANCE)
            atomic_store_explicit(&tool_data_distance, distance, memory_order_relaxed);
    }
    return data;
}

static bool tool_data_known(void)
{
    return atomic_load_explicit(&tool_data_distance, memory_order_relaxed) != 0;
}

nw_task_form_t nw_task_form_choose(const nw_task_request_t *request, int64_t device, nw_entry_kind_t kind, bool tool)
{
    if (device == NW_HOST_DEVICE || kind == NW_ENTRY_HOST_ONLY)
        return NW_TASK_HOST;
    if (nw_settings.completion == NW_COMPLETION_BLOCK || request->in_reduction || kind == NW_ENTRY_REDUCES)
        return NW_TASK_BLOCK;
    if (nw_task_may_be_cancelled())
        return NW_TASK_DETACHED;
    if (nw_settings.completion == NW_COMPLETION_REQUEUE)
        return NW_TASK_REQUEUE;
    if (kind == NW_ENTRY_UNKNOWN || (NW_UNLIKELY(tool) && !tool_data_known()))
        return NW_TASK_DETACHED;
    return nw_libomp()->num_threads() > 1 ? NW_TASK_DETACHED : NW_TASK_PROXY;
}
