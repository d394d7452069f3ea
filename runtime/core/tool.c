/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tool's callbacks: who has them, regions, and data operations outside regions. */
#include "core/tool.h"

#include <sched.h>
#include <string.h>

#include "core/tool_call.h"
#include "support/clock.h"

_Atomic bool nw_tool_is_attached, nw_tool_may_attach = true;
nw_tool_callbacks_t nw_tool;

_Thread_local nw_tool_thread_t nw_tool_self;

/* Callbacks in progress, on all threads. */
static _Atomic uint32_t in_progress;

#define LONGEST_CALLBACK_NS INT64_C(1000000000)

bool nw_tool_call_begin(void)
{
    if (!nw_tool_self.known) {
        nw_tool_self.known = true;
        nw_tool.know_thread();
    }
    /* Sequentially consistent, like the two in nw_tool_detach: either that one waits for this callback, or this one
     * sees that it must not begin. */
    atomic_fetch_add(&in_progress, 1);
    if (atomic_load(&nw_tool_is_attached)) {
        nw_tool_self.depth++;
        return true;
    }
    atomic_fetch_sub(&in_progress, 1);
    return false;
}

void nw_tool_call_end(void)
{
    nw_tool_self.depth--;
    atomic_fetch_sub(&in_progress, 1);
}

void nw_tool_attach(const nw_tool_callbacks_t *callbacks)
{
    bool any = false;
    /* Dependences alone are no reason to start regions later than without a tool. */
#define NOTE(name, number, parameters) any |= callbacks && callbacks->name != NULL && (number) != NW_OMPT_DEPENDENCES;
    NW_OMPT_CALLBACKS(NOTE)
#undef NOTE
    atomic_store(&nw_tool_may_attach, any);
    if (!any)
        return;
    nw_tool = *callbacks;
    atomic_store(&nw_tool_is_attached, true);
}

void nw_tool_detach(void)
{
    atomic_store(&nw_tool_is_attached, false);
    atomic_store(&nw_tool_may_attach, false);
    int64_t deadline = nw_clock_ns() + LONGEST_CALLBACK_NS;
    while (atomic_load(&in_progress) > nw_tool_self.depth && nw_clock_ns() < deadline)
        sched_yield();
}

uint64_t nw_tool_new_id(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

bool nw_tool_wants_dependences(void)
{
    return nw_tool_attached() && nw_tool.dependences;
}

void nw_tool_dependences(nw_ompt_data_t *task, const nw_ompt_dependence_t *list, int n)
{
    NW_TELL(dependences, task, list, n);
}

nw_ompt_data_t *nw_tool_current_task(void)
{
    return nw_tool.task_data();
}

void nw_tool_region_init(nw_tool_region_t *region)
{
    *region = (nw_tool_region_t){.task = nw_tool.task_data(), .codeptr = nw_tool_self.caller};
}

void nw_tool_region_submitted(nw_tool_region_t *region)
{
    region->codeptr = nw_tool_self.caller;
}

static void tell_target(nw_op_t *op, nw_ompt_scope_t scope)
{
    nw_tool_region_t *region = op->work.tool;
    int device = op->work.device->number;
    if (nw_tool.target_emi)
        NW_TELL(target_emi, region->kind, (int)scope, device, region->task, region->target_task, &region->target,
                region->codeptr);
    else
        NW_TELL(target, region->kind, (int)scope, device, region->task, region->target.value, region->codeptr);
}

void nw_tool_region_begin(nw_op_t *op, nw_construct_kind_t kind, nw_ompt_data_t *target_task)
{
    static const int kinds[] = {[NW_TARGET] = NW_OMPT_TARGET,
                                [NW_DATA_BEGIN] = NW_OMPT_ENTER_DATA,
                                [NW_DATA_END] = NW_OMPT_EXIT_DATA,
                                [NW_DATA_UPDATE] = NW_OMPT_UPDATE};
    nw_tool_region_t *region = op->work.tool;
    region->kind = kinds[kind] + (op->waited_for || op->handed_over ? 0 : NW_OMPT_NOWAIT);
    region->target_task = target_task;
    region->target.value = nw_tool.target_emi ? 0 : nw_tool_new_id();
    tell_target(op, NW_OMPT_BEGIN);
}

void nw_tool_region_begin_now(nw_op_t *op, nw_tool_region_t *region, nw_construct_kind_t kind)
{
    /* libomp has no data for threads that it doesn't know. */
    nw_tool.know_thread();
    nw_tool_self.known = true;
    nw_tool_region_init(region);
    op->work.tool = region;
    nw_tool_region_begin(op, kind, nw_tool.target_task_data());
}

void nw_tool_region_end(nw_op_t *op)
{
    if (op->work.tool->kind)
        tell_target(op, NW_OMPT_END);
}

void nw_tool_tell_data(nw_tool_data_op_t *op, nw_ompt_scope_t scope, nw_tool_region_t *region)
{
    nw_ompt_data_t *target = region ? &region->target : &nw_tool_self.no_target;
    const void *codeptr = region ? region->codeptr : nw_tool_self.caller;
    void *from = (void *)(uintptr_t)op->from, *to = (void *)(uintptr_t)op->to;
    if (scope != NW_OMPT_END)
        nw_tool_self.host_op_id = 0;
    if (nw_tool.target_data_op_emi)
        NW_TELL(target_data_op_emi, (int)scope, region ? region->target_task : NULL, target, &nw_tool_self.host_op_id,
                (int)op->op, from, op->from_device, to, op->to_device, op->bytes, codeptr);
    else if (scope != NW_OMPT_BEGIN)
        NW_TELL(target_data_op, target->value, nw_tool_new_id(), (int)op->op, from, op->from_device, to,
                op->to_device, op->bytes, codeptr);
}

void nw_tool_data_op(nw_tool_data_op_t *op, nw_ompt_scope_t scope)
{
    nw_tool_tell_data(op, scope, NULL);
}

static int number_of(const nw_core_device_t *device)
{
    return device ? device->base.number : nw_devices_count();
}

nw_tool_data_op_t nw_tool_data_op_begin(nw_ompt_data_op_t kind, const void *to, const nw_core_device_t *to_device,
                                        const void *from, const nw_core_device_t *from_device, size_t bytes)
{
    nw_tool_data_op_t op = {.op = kind,
                            .from = from,
                            .to = to,
                            .from_device = number_of(from_device),
                            .to_device = number_of(to_device),
                            .bytes = bytes};
    if (kind == NW_OMPT_DELETE)
        op.to_device = -1;
    if (kind != NW_OMPT_ASSOCIATE && kind != NW_OMPT_DISASSOCIATE)
        nw_tool_data_op(&op, NW_OMPT_BEGIN);
    return op;
}
