/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir_query.h"

#include <stdlib.h>
#include <string.h>

LLVMValueRef nw_ir_callee_or_invokee(LLVMValueRef value)
{
    if (!LLVMIsACallInst(value) && !LLVMIsAInvokeInst(value))
        return NULL;
    return LLVMIsAFunction(LLVMGetCalledValue(value));
}

LLVMValueRef nw_ir_callee(LLVMValueRef value)
{
    return LLVMIsACallInst(value) ? nw_ir_callee_or_invokee(value) : NULL;
}

bool nw_ir_has_name(LLVMValueRef function, const char *name)
{
    size_t length = 0;
    const char *text = LLVMGetValueName2(function, &length);

    return length == strlen(name) && memcmp(text, name, length) == 0;
}

bool nw_ir_is_call_to(LLVMValueRef value, const char *name)
{
    LLVMValueRef callee = nw_ir_callee(value);

    return callee && nw_ir_has_name(callee, name);
}

bool nw_ir_const_int(LLVMValueRef value, uint64_t *out_p)
{
    if (!value || !LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
        return false;
    *out_p = LLVMConstIntGetZExtValue(value);
    return true;
}

LLVMValueRef nw_ir_source(LLVMValueRef value)
{
    LLVMValueRef variable, stored = NULL;

    if (!LLVMIsALoadInst(value))
        return value;
    variable = LLVMGetOperand(value, 0);
    if (!LLVMIsAAllocaInst(variable))
        return value;
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsALoadInst(user))
            continue;
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != variable || stored) {
            /* Debug and lifetime intrinsics do not write. */
            if (LLVMIsAIntrinsicInst(user) && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMVoidTypeKind &&
                LLVMIsACallInst(user) && strncmp(LLVMGetValueName(LLVMGetCalledValue(user)), "llvm.mem", 8) != 0)
                continue;
            return value;
        }
        stored = LLVMGetOperand(user, 0);
    }
    return stored ? stored : value;
}

/* Adds the byte distance of one GEP to *offset_p; false if an index is not constant. */
static bool gep_offset(LLVMTargetDataRef layout, LLVMValueRef gep, uint64_t *offset_p)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned n_operands = (unsigned)LLVMGetNumOperands(gep);
    uint64_t offset = *offset_p;

    for (unsigned i = 1; i < n_operands; i++) {
        LLVMValueRef operand = LLVMGetOperand(gep, i);
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        int64_t index;

        if (!LLVMIsAConstantInt(operand))
            return false;
        index = LLVMConstIntGetSExtValue(operand);
        if (i == 1) {
            offset += (uint64_t)index * LLVMABISizeOfType(layout, type);
        } else if (kind == LLVMStructTypeKind) {
            offset += LLVMOffsetOfElement(layout, type, (unsigned)index);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)index);
        } else if (kind == LLVMArrayTypeKind) {
            type = LLVMGetElementType(type);
            offset += (uint64_t)index * LLVMABISizeOfType(layout, type);
        } else {
            return false;
        }
    }
    *offset_p = offset;
    return true;
}

LLVMValueRef nw_ir_strip_offsets(LLVMTargetDataRef layout, LLVMValueRef pointer, uint64_t *offset_p)
{
    *offset_p = 0;
    while (LLVMIsAGetElementPtrInst(pointer) && gep_offset(layout, pointer, offset_p))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

/* What find_stores looks for, and finds. */
struct store_search {
    LLVMTargetDataRef layout;
    uint64_t offset;
    bool (*is_wanted)(LLVMValueRef value);
    LLVMValueRef found;
    unsigned count;
};

/* Looks for stores among the users of pointer, which is the base of the search + at. */
static void find_stores(struct store_search *search, LLVMValueRef pointer, uint64_t at)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == pointer) {
            uint64_t inner = at;

            if (gep_offset(search->layout, user, &inner))
                find_stores(search, user, inner);
        } else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer && at == search->offset &&
                   (!search->is_wanted || search->is_wanted(LLVMGetOperand(user, 0)))) {
            search->found = LLVMGetOperand(user, 0);
            search->count++;
        }
    }
}

LLVMValueRef nw_ir_stored_at(LLVMTargetDataRef layout, LLVMValueRef base, uint64_t offset,
                             bool (*is_wanted)(LLVMValueRef value))
{
    struct store_search search = {.layout = layout, .offset = offset, .is_wanted = is_wanted};

    find_stores(&search, base, 0);
    return search.count == 1 ? search.found : NULL;
}

unsigned nw_ir_use_count(LLVMValueRef value)
{
    unsigned count = 0;

    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        count++;
    return count;
}

/* The blocks that a walk has reached. */
struct block_set {
    LLVMBasicBlockRef *blocks;
    unsigned count;
};

static void reach(struct block_set *set, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < set->count; i++)
        if (set->blocks[i] == block)
            return;
    set->blocks[set->count++] = block;
}

/* Whether every path from the start of the function to block passes through dominator. LLVM-C has no dominator tree; a
 * walk that does not enter dominator is enough for the few questions that are asked here. */
static bool dominates(LLVMBasicBlockRef dominator, LLVMBasicBlockRef block)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(block);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    struct block_set set = {.blocks = calloc(LLVMCountBasicBlocks(function), sizeof *set.blocks)};
    bool reached = false;

    if (!set.blocks)
        return false;
    if (entry != dominator)
        reach(&set, entry);
    for (unsigned i = 0; i < set.count && !reached; i++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(set.blocks[i]);
        unsigned n_successors = LLVMGetNumSuccessors(terminator);

        reached = set.blocks[i] == block;
        for (unsigned j = 0; j < n_successors; j++)
            if (LLVMGetSuccessor(terminator, j) != dominator)
                reach(&set, LLVMGetSuccessor(terminator, j));
    }
    free(set.blocks);
    return !reached;
}

bool nw_ir_is_available(LLVMValueRef value, LLVMValueRef position)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(position);

    if (!LLVMIsAInstruction(value))
        return true;
    if (LLVMGetInstructionParent(value) != block)
        return dominates(LLVMGetInstructionParent(value), block);
    for (LLVMValueRef in = value; in; in = LLVMGetNextInstruction(in))
        if (in == position)
            return true;
    return false;
}

static bool is_repeatable(LLVMValueRef value, bool with_loads)
{
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMLoad:
        return with_loads;
    case LLVMGetElementPtr:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return true;
    default:
        return false;
    }
}

static bool can_compute(LLVMValueRef value, LLVMValueRef position, bool with_loads, unsigned depth)
{
    unsigned n_operands;

    if (nw_ir_is_available(value, position))
        return true;
    if (depth == 0 || !is_repeatable(value, with_loads))
        return false;
    n_operands = (unsigned)LLVMGetNumOperands(value);
    for (unsigned i = 0; i < n_operands; i++)
        if (!can_compute(LLVMGetOperand(value, i), position, with_loads, depth - 1))
            return false;
    return true;
}

bool nw_ir_can_compute(LLVMValueRef value, LLVMValueRef position, bool with_loads)
{
    enum { DEPTH = 8 };

    return can_compute(value, position, with_loads, DEPTH);
}
