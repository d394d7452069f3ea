/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "abi_check.h"

#include "nowait/abi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/Comdat.h"
#include "llvm-c/Core.h"

/* Its own name for each version, so that the linker does not take one of another version for it. */
#define NAME_OF(version) "__nowait_abi_check_" #version
#define NAME(version) NAME_OF(version)
static const char callee_name[] = "__nowait_require_abi";
static const char constructors_name[] = "llvm.global_ctors";

/* The earliest priority that is not reserved: before the program's own constructors. */
enum { PRIORITY = 101 };

/* Returns a function that calls __nowait_require_abi; the linker keeps one of a name. */
static LLVMValueRef add_function(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef nothing = LLVMVoidTypeInContext(context), int32 = LLVMInt32TypeInContext(context);
    LLVMTypeRef callee_type = LLVMFunctionType(nothing, &int32, 1, false);
    LLVMTypeRef type = LLVMFunctionType(nothing, NULL, 0, false);
    LLVMValueRef callee = LLVMGetNamedFunction(module, callee_name);
    LLVMValueRef function = LLVMAddFunction(module, NAME(NOWAIT_ABI_VERSION), type);
    LLVMValueRef version = LLVMConstInt(int32, NOWAIT_ABI_VERSION, false);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);

    if (!callee)
        callee = LLVMAddFunction(module, callee_name, callee_type);
    LLVMSetLinkage(function, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    LLVMSetComdat(function, LLVMGetOrInsertComdat(module, NAME(NOWAIT_ABI_VERSION)));
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
    LLVMBuildCall2(builder, callee_type, callee, &version, 1, "");
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    return function;
}

/* Appends {priority, function, function} to the table of constructors, which means that it cannot be changed in place.
 * The last member lets the linker drop the entry together with a function that it drops. */
static void append_constructor(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef int32 = LLVMInt32TypeInContext(context), pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef entry_type = LLVMStructTypeInContext(context, (LLVMTypeRef[]){int32, pointer, pointer}, 3, false);
    LLVMValueRef entry[] = {LLVMConstInt(int32, PRIORITY, false), function, function};
    LLVMValueRef old = LLVMGetNamedGlobal(module, constructors_name), table, *entries;
    unsigned count = old ? (unsigned)LLVMGetArrayLength2(LLVMGlobalGetValueType(old)) : 0;

    entries = malloc((count + 1) * sizeof *entries);
    if (!entries)
        return; /* the first region checks, too */
    for (unsigned i = 0; i < count; i++)
        entries[i] = LLVMGetAggregateElement(LLVMGetInitializer(old), i);
    entries[count] = LLVMConstStructInContext(context, entry, 3, false);
    if (old)
        LLVMSetValueName2(old, "", 0);
    table = LLVMAddGlobal(module, LLVMArrayType2(entry_type, count + 1), constructors_name);
    LLVMSetInitializer(table, LLVMConstArray2(entry_type, entries, count + 1));
    LLVMSetLinkage(table, LLVMAppendingLinkage);
    if (old)
        LLVMDeleteGlobal(old);
    free(entries);
}

void nw_abi_check_add(LLVMModuleRef module)
{
    append_constructor(module, add_function(module));
}
