/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "target_task.h"

#include "ir_query.h"
#include "kernel_args.h"

#include <string.h>

/* Number of arguments of the allocation call. */
enum { ALLOC_ARGS = 7 };
#define SUBMIT "__kmpc_omp_task"
#define SUBMIT_WITH_DEPS "__kmpc_omp_task_with_deps"
/* Position of the task in both submission calls. */
enum { SUBMIT_TASK = 2 };
/* Position of the number of map entries, and of the four dependence arguments, in the data calls. */
enum { DATA_N_MAPS = 2, DATA_NOWAIT_ARGS = 13, KERNEL_ARGS_POSITION = 5, KERNEL_CALL_ARGS = 6 };

static const struct {
    const char *function;
    const char *construct;
    unsigned n_args;
} dispatch_kinds[NW_DISPATCH_KINDS] = {
    [NW_DISPATCH_KERNEL] = {"__tgt_target_kernel", "target region", KERNEL_CALL_ARGS},
    [NW_DISPATCH_BEGIN] = {"__tgt_target_data_begin_nowait_mapper", "target enter data", DATA_NOWAIT_ARGS},
    [NW_DISPATCH_END] = {"__tgt_target_data_end_nowait_mapper", "target exit data", DATA_NOWAIT_ARGS},
    [NW_DISPATCH_UPDATE] = {"__tgt_target_data_update_nowait_mapper", "target update", DATA_NOWAIT_ARGS},
};

const char *const nw_replaced_functions[] = {
    NW_TARGET_TASK_ALLOC,
    SUBMIT,
    SUBMIT_WITH_DEPS,
    "__tgt_target_kernel",
    "__tgt_target_data_begin_nowait_mapper",
    "__tgt_target_data_end_nowait_mapper",
    "__tgt_target_data_update_nowait_mapper",
    NULL,
};

const char *nw_dispatch_construct(enum nw_dispatch_kind kind)
{
    return dispatch_kinds[kind].construct;
}

/* Returns the dispatch kind of an instruction, NW_DISPATCH_KINDS if it is no dispatch call. */
static enum nw_dispatch_kind dispatch_kind(LLVMValueRef instruction)
{
    LLVMValueRef callee = nw_ir_callee(instruction);

    for (unsigned kind = 0; callee && kind < NW_DISPATCH_KINDS; kind++)
        if (nw_ir_has_name(callee, dispatch_kinds[kind].function))
            return (enum nw_dispatch_kind)kind;
    return NW_DISPATCH_KINDS;
}

/* Lists the dispatch calls of function. */
static const char *collect_dispatches(LLVMTargetDataRef layout, LLVMValueRef function, struct nw_target_task *task)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
            enum nw_dispatch_kind kind = dispatch_kind(in);
            struct nw_dispatch *dispatch;
            uint64_t n_maps = 0;
            bool known;

            if (nw_ir_is_call_to(in, "__kmpc_task_reduction_get_th_data"))
                task->in_reduction = true;
            if (kind == NW_DISPATCH_KINDS)
                continue;
            if (task->n_dispatches == NW_MAX_DISPATCHES)
                return "its entry makes too many offload calls";
            if (LLVMGetNumArgOperands(in) != dispatch_kinds[kind].n_args)
                return "the offload call does not have the arguments that this plugin knows";
            known = kind == NW_DISPATCH_KERNEL
                        ? nw_kernel_args_count(layout, LLVMGetOperand(in, KERNEL_ARGS_POSITION), &n_maps)
                        : nw_ir_const_int(LLVMGetOperand(in, DATA_N_MAPS), &n_maps);
            if (!known || n_maps > INT32_MAX)
                return "the number of its map entries is not a known constant";
            dispatch = &task->dispatches[task->n_dispatches++];
            *dispatch = (struct nw_dispatch){.call = in, .kind = kind, .n_maps = (uint32_t)n_maps};
            if (dispatch->n_maps > task->n_maps)
                task->n_maps = dispatch->n_maps;
        }
    }
    return NULL;
}

/* Finds the parameter of call's callee that receives value; NULL if none does. */
static LLVMValueRef parameter_for(LLVMValueRef call, LLVMValueRef callee, LLVMValueRef value)
{
    unsigned n_args = LLVMGetNumArgOperands(call);

    for (unsigned i = 0; i < n_args && i < LLVMCountParams(callee); i++)
        if (nw_ir_source(LLVMGetOperand(call, i)) == value)
            return LLVMGetParam(callee, i);
    return NULL;
}

/* Looks for the dispatch calls in the functions that the entry calls. */
static const char *match_outlined(LLVMTargetDataRef layout, struct nw_target_task *task)
{
    LLVMValueRef gtid = LLVMGetParam(task->entry, 0), handle = LLVMGetParam(task->entry, 1);

    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(task->entry); block; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
            LLVMValueRef callee = nw_ir_callee_or_invokee(in);
            unsigned n_before = task->n_dispatches;
            const char *why;

            if (!callee || LLVMIsDeclaration(callee) || callee == task->body)
                continue;
            why = collect_dispatches(layout, callee, task);
            if (why)
                return why;
            if (task->n_dispatches == n_before)
                continue;
            if (task->body)
                return "its entry makes offload calls in more than one function";
            task->body = callee;
            task->gtid = parameter_for(in, callee, gtid);
            task->task = parameter_for(in, callee, handle);
            if (!task->gtid || !task->task)
                return "its outlined function does not receive the task";
            if (nw_ir_use_count(callee) != 1)
                return "its outlined function has more than one caller";
        }
    }
    return task->body ? NULL : "its entry makes no offload call: the region runs on the host";
}

/* Finds the calls that submit the task that alloc returns, and refuses uses that would need to be rewritten too. */
static const char *match_submits(struct nw_task_alloc *alloc)
{
    for (LLVMUseRef use = LLVMGetFirstUse(alloc->call); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (nw_ir_is_call_to(user, SUBMIT) || nw_ir_is_call_to(user, SUBMIT_WITH_DEPS)) {
            if (LLVMGetOperandUse(user, SUBMIT_TASK) != use)
                return "the task is passed to its submission in an unknown way";
            if (alloc->n_submits == NW_MAX_SUBMITS)
                return "the task is submitted in too many places";
            alloc->submits[alloc->n_submits++] = user;
        } else if (!LLVMIsAGetElementPtrInst(user) && !LLVMIsALoadInst(user) &&
                   !(LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == alloc->call) &&
                   !LLVMIsAMemIntrinsic(user) && !LLVMIsADbgInfoIntrinsic(user)) {
            return "the task is handed to something other than its submission";
        }
    }
    return alloc->n_submits ? NULL : "no submission of the task was found";
}

/* Lists the allocation calls that name the entry; every use of the entry must be one. */
static const char *match_allocs(struct nw_target_task *task)
{
    for (LLVMUseRef use = LLVMGetFirstUse(task->entry); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        struct nw_task_alloc *alloc;
        uint64_t sizeof_task;
        const char *why;

        if (!nw_ir_is_call_to(call, NW_TARGET_TASK_ALLOC) || LLVMGetNumArgOperands(call) != ALLOC_ARGS ||
            LLVMGetOperandUse(call, NW_ALLOC_ENTRY) != use)
            return "its entry is used by something other than task allocations";
        if (!nw_ir_const_int(LLVMGetOperand(call, NW_ALLOC_SIZEOF_TASK), &sizeof_task) || sizeof_task > UINT32_MAX)
            return "the size of the task is not a known constant";
        if (task->n_allocs == NW_MAX_ALLOCS)
            return "its entry is used by too many task allocations";
        if (task->n_allocs > 0 && sizeof_task != task->sizeof_task)
            return "its entry is used with tasks of different sizes";
        task->sizeof_task = sizeof_task;
        alloc = &task->allocs[task->n_allocs++];
        alloc->call = call;
        why = match_submits(alloc);
        if (why)
            return why;
    }
    return NULL;
}

const char *nw_target_task_match(LLVMTargetDataRef layout, LLVMValueRef entry, struct nw_target_task *task_p)
{
    const char *why;

    memset(task_p, 0, sizeof *task_p);
    task_p->entry = entry;
    if (!LLVMIsAFunction(entry) || LLVMIsDeclaration(entry) || LLVMCountParams(entry) != 2)
        return "its entry is not a function of this file";
    why = collect_dispatches(layout, entry, task_p);
    if (why)
        return why;
    if (task_p->n_dispatches > 0) {
        task_p->body = entry;
        task_p->gtid = LLVMGetParam(entry, 0);
        task_p->task = LLVMGetParam(entry, 1);
    } else {
        why = match_outlined(layout, task_p);
        if (why)
            return why;
    }
    return match_allocs(task_p);
}
