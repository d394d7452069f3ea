/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rewrite.h"

#include "abi_check.h"
#include "captures.h"
#include "host_report.h"
#include "ir_query.h"
#include "runtime_calls.h"
#include "target_task.h"
#include "update_strides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/Analysis.h"

/* Named metadata that tells a second run, by a second plugin or a later compiler stage, that the work is done. */
static const char mark_name[] = "nowait.rewritten";

/* What one run has done. */
struct outcome {
    unsigned n_rewritten;
    unsigned n_missed;
};

/* Whether module is code for a device: nothing there runs on the host. */
static bool is_device_module(LLVMModuleRef module)
{
    static const char flag[] = "openmp-device";
    const char *triple = LLVMGetTarget(module);

    return LLVMGetModuleFlag(module, flag, sizeof flag - 1) || strncmp(triple, "nvptx", 5) == 0 ||
           strncmp(triple, "amdgcn", 6) == 0 || strncmp(triple, "spirv", 5) == 0;
}

static void mark_module(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, NULL, 0);

    LLVMAddNamedMetadataOperand(module, mark_name, LLVMMetadataAsValue(context, node));
}

/* Checks the captures of every dispatch call of task before anything is changed. */
static const char *match_captures(LLVMTargetDataRef layout, const struct nw_target_task *task,
                                  struct nw_captures *captures)
{
    for (unsigned i = 0; i < task->n_dispatches; i++) {
        const char *why = nw_captures_match(layout, &task->dispatches[i], &captures[i]);

        if (why)
            return why;
    }
    return NULL;
}

static void report_rewritten(const struct nw_target_task *task, const struct nw_captures *captures)
{
    char text[160];
    unsigned n_redirected = 0;

    for (unsigned i = 0; i < task->n_dispatches; i++)
        n_redirected += captures[i].n_redirected;
    snprintf(text, sizeof text, "%s does not block the host: %u map entr%s, %u captured from the task",
             nw_dispatch_construct(task->dispatches[0].kind), task->n_maps, task->n_maps == 1 ? "y" : "ies",
             n_redirected);
    for (unsigned i = 0; i < task->n_allocs; i++)
        nw_report_rewritten(task->allocs[i].call, text);
}

static void report_missed(LLVMValueRef instruction, const char *why, struct outcome *outcome)
{
    char text[200];

    snprintf(text, sizeof text, "deferred target construct left as it is: %s", why);
    nw_report_missed(instruction, text);
    outcome->n_missed++;
}

/* The allocation calls of a module, in program order; a rewritten call is NULL. */
struct alloc_list {
    LLVMValueRef *calls;
    unsigned count, capacity;
};

static void list_append(struct alloc_list *list, LLVMValueRef call)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 16;
        list->calls = realloc(list->calls, list->capacity * sizeof *list->calls);
        if (!list->calls) {
            fputs("nowait: out of memory\n", stderr);
            abort();
        }
    }
    list->calls[list->count++] = call;
}

static void list_allocs(LLVMModuleRef module, LLVMValueRef alloc, struct alloc_list *list)
{
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in))
                if (nw_ir_callee_or_invokee(in) == alloc && LLVMGetNumArgOperands(in) > NW_ALLOC_ENTRY)
                    list_append(list, in);
}

/* Takes out of the list the calls that are about to be replaced. */
static void list_remove(struct alloc_list *list, const struct nw_target_task *task)
{
    for (unsigned i = 0; i < list->count; i++)
        for (unsigned j = 0; j < task->n_allocs; j++)
            if (list->calls[i] == task->allocs[j].call)
                list->calls[i] = NULL;
}

/* Rewrites all that belongs to the entry that alloc_call names, or reports why not. */
static void rewrite_entry(LLVMTargetDataRef layout, LLVMValueRef alloc_call, struct alloc_list *list,
                          struct outcome *outcome)
{
    struct nw_target_task task;
    struct nw_captures captures[NW_MAX_DISPATCHES];
    struct nw_vlas vlas;
    struct nw_strides strides;
    const char *why = nw_target_task_match(layout, LLVMGetOperand(alloc_call, NW_ALLOC_ENTRY), &task);

    if (!why)
        why = match_captures(layout, &task, captures);
    if (!why)
        why = nw_vlas_match(layout, &task, &vlas);
    if (!why)
        why = nw_strides_match(layout, &task, &strides);
    if (why) {
        report_missed(alloc_call, why, outcome);
        return;
    }
    report_rewritten(&task, captures);
    list_remove(list, &task);
    if (vlas.count > 0)
        nw_vlas_make_room(layout, &task, &vlas);
    if (strides.count > 0)
        nw_strides_keep(&task, &strides);
    for (unsigned i = 0; i < task.n_dispatches; i++) {
        nw_captures_redirect(&task, &task.dispatches[i], &captures[i], &vlas);
        nw_calls_replace_dispatch(&task, &task.dispatches[i]);
    }
    for (unsigned i = 0; i < task.n_allocs; i++)
        nw_calls_replace_alloc(&task, &task.allocs[i]);
    outcome->n_rewritten += task.n_allocs;
}

/* Removes the declarations that no call needs any more. */
static void drop_unused_declarations(LLVMModuleRef module)
{
    for (unsigned i = 0; nw_replaced_functions[i]; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, nw_replaced_functions[i]);

        if (function && LLVMIsDeclaration(function) && !LLVMGetFirstUse(function))
            LLVMDeleteFunction(function);
    }
}

bool nw_rewrite_module(LLVMModuleRef module, const struct nw_rewrite_options *options)
{
    LLVMValueRef alloc = LLVMGetNamedFunction(module, NW_TARGET_TASK_ALLOC);
    struct alloc_list list = {0};
    struct outcome outcome = {0};
    unsigned n_placed;

    if (is_device_module(module) || LLVMGetNamedMetadata(module, mark_name, sizeof mark_name - 1))
        return false;
    n_placed = nw_strides_place(LLVMGetModuleDataLayout(module), module);
    if (alloc)
        list_allocs(module, alloc, &list);
    for (unsigned i = 0; i < list.count; i++)
        if (list.calls[i])
            rewrite_entry(LLVMGetModuleDataLayout(module), list.calls[i], &list, &outcome);
    free(list.calls);
    /* Without the mark a later run would report the same constructs again; without a report nothing may change. */
    if (outcome.n_rewritten + n_placed == 0 &&
        (outcome.n_missed == 0 || !nw_report_wants_missed(LLVMGetModuleContext(module))))
        return false;
    mark_module(module);
    if (outcome.n_rewritten > 0)
        nw_abi_check_add(module);
    drop_unused_declarations(module);
    if (outcome.n_rewritten + n_placed > 0 && options->verify)
        LLVMVerifyModule(module, LLVMAbortProcessAction, NULL);
    return true;
}
