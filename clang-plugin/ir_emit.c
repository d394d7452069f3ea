/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir_emit.h"

#include "ir_query.h"

#include <stddef.h>

#include "llvm-c/DebugInfo.h"

enum { ROOM_ALIGNMENT = 16 };

struct nw_emitter nw_emitter_before(LLVMValueRef instruction)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
    struct nw_emitter emitter = {
        .builder = LLVMCreateBuilderInContext(context),
        .byte = LLVMInt8TypeInContext(context),
        .word = LLVMInt64TypeInContext(context),
        .pointer = LLVMPointerTypeInContext(context, 0),
    };

    LLVMPositionBuilderBefore(emitter.builder, instruction);
    LLVMSetCurrentDebugLocation2(emitter.builder, LLVMInstructionGetDebugLoc(instruction));
    return emitter;
}

void nw_emitter_end(struct nw_emitter *emitter)
{
    LLVMDisposeBuilder(emitter->builder);
    emitter->builder = NULL;
}

LLVMValueRef nw_emit_word(const struct nw_emitter *e, uint64_t value)
{
    return LLVMConstInt(e->word, value, 0);
}

LLVMValueRef nw_emit_advance(const struct nw_emitter *e, LLVMValueRef pointer, LLVMValueRef distance, const char *name)
{
    return LLVMBuildGEP2(e->builder, e->byte, pointer, &distance, 1, name);
}

LLVMValueRef nw_emit_load(const struct nw_emitter *e, LLVMValueRef address, uint64_t offset, const char *name)
{
    if (offset > 0)
        address = nw_emit_advance(e, address, nw_emit_word(e, offset), "");
    return LLVMBuildLoad2(e->builder, e->pointer, address, name);
}

LLVMValueRef nw_emit_computed(const struct nw_emitter *e, LLVMValueRef value, LLVMValueRef position)
{
    LLVMValueRef copy;
    unsigned n_operands;

    if (nw_ir_is_available(value, position))
        return value;
    copy = LLVMInstructionClone(value);
    n_operands = (unsigned)LLVMGetNumOperands(value);
    for (unsigned i = 0; i < n_operands; i++)
        LLVMSetOperand(copy, i, nw_emit_computed(e, LLVMGetOperand(value, i), position));
    LLVMInsertIntoBuilder(e->builder, copy);
    return copy;
}

uint64_t nw_size_with_room(uint64_t sizeof_shareds, uint64_t room)
{
    return sizeof_shareds + ROOM_ALIGNMENT - 1 + room;
}

LLVMValueRef nw_emit_round_up(const struct nw_emitter *e, LLVMValueRef value)
{
    LLVMValueRef raised = LLVMBuildAdd(e->builder, value, nw_emit_word(e, ROOM_ALIGNMENT - 1), "");

    return LLVMBuildAnd(e->builder, raised, nw_emit_word(e, ~(uint64_t)(ROOM_ALIGNMENT - 1)), "");
}

LLVMValueRef nw_emit_behind_shareds(const struct nw_emitter *e, LLVMValueRef task, uint64_t sizeof_shareds)
{
    LLVMValueRef shareds = nw_emit_load(e, task, 0, "nowait.shareds");
    LLVMValueRef end = nw_emit_advance(e, shareds, nw_emit_word(e, sizeof_shareds), "");
    LLVMValueRef rounded = nw_emit_round_up(e, LLVMBuildPtrToInt(e->builder, end, e->word, ""));

    return LLVMBuildIntToPtr(e->builder, rounded, e->pointer, "nowait.room");
}
