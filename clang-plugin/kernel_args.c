/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kernel_args.h"

#include "ir_query.h"

#include <stddef.h>

bool nw_kernel_args_count(LLVMTargetDataRef layout, LLVMValueRef block, uint64_t *count_p)
{
    return nw_ir_const_int(nw_ir_stored_at(layout, block, NW_KERNEL_ARGS_COUNT, NULL), count_p);
}

LLVMValueRef nw_map_types(LLVMValueRef pointer, uint32_t count)
{
    LLVMValueRef types;

    if (!LLVMIsAGlobalVariable(pointer) || !LLVMIsGlobalConstant(pointer))
        return NULL;
    types = LLVMGetInitializer(pointer);
    if (!types || LLVMGetTypeKind(LLVMTypeOf(types)) != LLVMArrayTypeKind ||
        LLVMGetArrayLength2(LLVMTypeOf(types)) != count)
        return NULL;
    return types;
}

LLVMValueRef nw_kernel_args_types(LLVMTargetDataRef layout, LLVMValueRef block, uint32_t count)
{
    LLVMValueRef pointer = nw_ir_stored_at(layout, block, NW_KERNEL_ARGS_TYPES, NULL);

    return pointer ? nw_map_types(pointer, count) : NULL;
}

bool nw_map_type(LLVMValueRef types, uint32_t i, uint64_t *type_p)
{
    return nw_ir_const_int(LLVMGetAggregateElement(types, i), type_p);
}
