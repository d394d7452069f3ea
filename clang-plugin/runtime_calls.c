/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime_calls.h"

#include "ir_emit.h"
#include "ir_query.h"
#include "nowait/abi.h"

#include <string.h>

enum {
    MAX_ARGS = 16,
    DATA_DEPENDENCE_ARGS = 4 /* trailing arguments that clang always passes as zero, and libnowait does not take */
};

static const char *const dispatch_names[NW_DISPATCH_KINDS] = {
    [NW_DISPATCH_KERNEL] = "__nowait_target_kernel",
    [NW_DISPATCH_BEGIN] = "__nowait_target_data_begin",
    [NW_DISPATCH_END] = "__nowait_target_data_end",
    [NW_DISPATCH_UPDATE] = "__nowait_target_data_update",
};

static void add_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(context, kind, 0));
}

/* Returns the declaration of a libnowait function. No such function throws. */
static LLVMValueRef declare(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);

    if (function)
        return function;
    function = LLVMAddFunction(module, name, type);
    add_attribute(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    return function;
}

static LLVMModuleRef module_of(LLVMValueRef instruction)
{
    return LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
}

/* Replaces old by a call of name with the given arguments, in the same place, with the same result and source line. */
static void replace_call(const struct nw_emitter *e, LLVMValueRef old, const char *name, LLVMValueRef *args,
                         unsigned n_args)
{
    LLVMTypeRef types[MAX_ARGS], type;
    LLVMValueRef function, call;

    for (unsigned i = 0; i < n_args; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(LLVMTypeOf(old), types, n_args, false);
    function = declare(module_of(old), name, type);
    call = LLVMBuildCall2(e->builder, type, function, args, n_args, "");
    LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(old));
    LLVMReplaceAllUsesWith(old, call);
    LLVMInstructionEraseFromParent(old);
}

/* Copies the arguments of call, less the last n_dropped, to args. Returns their number. */
static unsigned copy_args(LLVMValueRef call, unsigned n_dropped, LLVMValueRef *args)
{
    unsigned n_args = LLVMGetNumArgOperands(call) - n_dropped;

    for (unsigned i = 0; i < n_args; i++)
        args[i] = LLVMGetOperand(call, i);
    return n_args;
}

/* A submission takes the same arguments as before, so only the called function changes. */
static void replace_submit(LLVMValueRef submit)
{
    const char *name =
        nw_ir_is_call_to(submit, "__kmpc_omp_task") ? "__nowait_target_task" : "__nowait_target_task_with_deps";
    LLVMValueRef function = declare(module_of(submit), name, LLVMGetCalledFunctionType(submit));

    LLVMSetOperand(submit, (unsigned)LLVMGetNumOperands(submit) - 1, function);
}

void nw_calls_replace_alloc(const struct nw_target_task *task, const struct nw_task_alloc *alloc)
{
    static const char name[] = "__nowait_target_task_alloc";
    struct nw_emitter e = nw_emitter_before(alloc->call);
    LLVMModuleRef module = module_of(alloc->call);
    LLVMTypeRef int32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef args[MAX_ARGS];
    unsigned n_args = copy_args(alloc->call, 0, args);
    bool is_new = LLVMGetNamedFunction(module, name) == NULL;
    uint32_t info = NOWAIT_ABI_VERSION | (task->in_reduction ? NOWAIT_TASK_INFO_IN_REDUCTION : 0);

    for (unsigned i = 0; i < alloc->n_submits; i++)
        replace_submit(alloc->submits[i]);
    args[n_args++] = LLVMConstInt(int32, task->n_maps, false);
    args[n_args++] = LLVMConstInt(int32, info, false);
    replace_call(&e, alloc->call, name, args, n_args);
    if (is_new)
        add_attribute(LLVMGetNamedFunction(module, name), LLVMAttributeReturnIndex, "noalias");
    nw_emitter_end(&e);
}

void nw_calls_replace_dispatch(const struct nw_target_task *task, const struct nw_dispatch *dispatch)
{
    struct nw_emitter e = nw_emitter_before(dispatch->call);
    LLVMValueRef offset = nw_emit_word(&e, NOWAIT_SLOT_OFFSET(task->sizeof_task));
    LLVMValueRef args[MAX_ARGS];
    unsigned n_args =
        copy_args(dispatch->call, dispatch->kind == NW_DISPATCH_KERNEL ? 0 : DATA_DEPENDENCE_ARGS, args);

    args[n_args++] = task->gtid;
    args[n_args++] = task->task;
    args[n_args++] = nw_emit_advance(&e, task->task, offset, "nowait.slot");
    replace_call(&e, dispatch->call, dispatch_names[dispatch->kind], args, n_args);
    nw_emitter_end(&e);
}
