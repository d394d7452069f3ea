/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "vla_captures.h"

#include "ir_query.h"

#include <stdlib.h>
#include <string.h>

enum {
    MEMCPY_TO = 0, /* positions of arguments of llvm.memcpy */
    MEMCPY_FROM = 1,
    MEMCPY_SIZE = 2,
    PAIR_SIZE = 16, /* bytes of one from, to pair */
    PRIVATES_ELEMENT = 1 /* position of the private part in the task's type */
};

/* Whether type contains an array of negative length: the correction that clang makes for an array without elements. */
static bool has_negative_array(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        return (int64_t)LLVMGetArrayLength2(type) < 0 || has_negative_array(LLVMGetElementType(type));
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (has_negative_array(LLVMStructGetTypeAtIndex(type, i)))
                return true;
    return false;
}

/* Returns type with its negative arrays made empty, so that no two elements overlap. Positions stay. */
static LLVMTypeRef without_negative_arrays(LLVMTypeRef type)
{
    LLVMTypeRef *elements, result;
    unsigned n_elements;

    if (!has_negative_array(type))
        return type;
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        return (int64_t)LLVMGetArrayLength2(type) < 0
                   ? LLVMArrayType2(LLVMGetElementType(type), 0)
                   : LLVMArrayType2(without_negative_arrays(LLVMGetElementType(type)), LLVMGetArrayLength2(type));
    n_elements = LLVMCountStructElementTypes(type);
    elements = calloc(n_elements, sizeof *elements);
    if (!elements)
        abort();
    for (unsigned i = 0; i < n_elements; i++)
        elements[i] = without_negative_arrays(LLVMStructGetTypeAtIndex(type, i));
    result = LLVMStructTypeInContext(LLVMGetTypeContext(type), elements, n_elements, LLVMIsPackedStruct(type));
    free(elements);
    return result;
}

/* Returns the type by which the private part of the task that alloc returns is addressed; NULL if there is none. */
static LLVMTypeRef task_type_of(LLVMValueRef alloc)
{
    for (LLVMUseRef use = LLVMGetFirstUse(alloc); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == alloc &&
            LLVMGetTypeKind(LLVMGetGEPSourceElementType(user)) == LLVMStructTypeKind)
            return LLVMGetGEPSourceElementType(user);
    }
    return NULL;
}

/* Whether gep moves its pointer by a distance that is not constant. */
static bool has_variable_index(LLVMValueRef gep)
{
    unsigned n_operands = (unsigned)LLVMGetNumOperands(gep);

    for (unsigned i = 1; i < n_operands; i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(gep, i)))
            return true;
    return false;
}

/* Collects the copies of a length that is not constant into pointer, which points into the task. Returns how many they
 * are now, more than NW_MAX_VLAS if one is a loop over objects, which has no mending. */
static unsigned collect_copies(LLVMValueRef pointer, LLVMValueRef *copies, unsigned count)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAGetElementPtrInst(user) && has_variable_index(user)) {
            count = NW_MAX_VLAS + 1;
        } else if (LLVMIsAGetElementPtrInst(user)) {
            count = collect_copies(user, copies, count);
        } else if (LLVMIsAMemCpyInst(user) && LLVMGetOperand(user, MEMCPY_TO) == pointer &&
                   !LLVMIsAConstantInt(LLVMGetOperand(user, MEMCPY_SIZE))) {
            if (count < NW_MAX_VLAS)
                copies[count] = user;
            count++;
        }
    }
    return count;
}

const char *nw_vlas_match(LLVMTargetDataRef layout, const struct nw_target_task *task, struct nw_vlas *vlas_p)
{
    vlas_p->count = 0;
    for (unsigned i = 0; i < task->n_allocs; i++) {
        LLVMValueRef alloc = task->allocs[i].call;
        LLVMTypeRef type = task_type_of(alloc);
        unsigned count = collect_copies(alloc, vlas_p->copies[i], 0);
        bool odd_layout = type && (has_negative_array(type) || LLVMABISizeOfType(layout, type) != task->sizeof_task);

        if (odd_layout != (count > 0) || count > NW_MAX_VLAS || (i > 0 && count != vlas_p->count))
            return "it captures a variable-length array in a way that cannot be mended";
        vlas_p->count = count;
        if (count == 0)
            continue;
        vlas_p->task_type = type;
        if (!nw_ir_const_int(LLVMGetOperand(alloc, NW_ALLOC_SIZEOF_SHAREDS), &vlas_p->sizeof_shareds))
            return "the size of its shared variables is not a known constant";
        for (unsigned j = 0; j < count; j++)
            if (!nw_ir_can_compute(LLVMGetOperand(vlas_p->copies[i][j], MEMCPY_SIZE), alloc, false))
                return "the size of a captured variable-length array is not known in time";
    }
    return NULL;
}

/* Makes one access go by another type with the same positions. */
static void retype_access(LLVMValueRef gep, LLVMTypeRef type)
{
    enum { MAX_INDICES = 4 };
    struct nw_emitter e = nw_emitter_before(gep);
    LLVMValueRef indices[MAX_INDICES], new_gep;
    unsigned n_operands = (unsigned)LLVMGetNumOperands(gep), n_indices = 0;

    for (unsigned i = 1; i < n_operands && n_indices < MAX_INDICES; i++)
        indices[n_indices++] = LLVMGetOperand(gep, i);
    new_gep = LLVMBuildGEP2(e.builder, type, LLVMGetOperand(gep, 0), indices, n_indices, "");
    LLVMSetIsInBounds(new_gep, LLVMIsInBounds(gep));
    LLVMReplaceAllUsesWith(gep, new_gep);
    LLVMInstructionEraseFromParent(gep);
    nw_emitter_end(&e);
}

/* Makes every access by type in module use its sound form. */
static void repair_layout(LLVMModuleRef module, LLVMTypeRef type)
{
    LLVMTypeRef sound = without_negative_arrays(type);

    if (sound == type)
        return;
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef in = LLVMGetFirstInstruction(block), next; in; in = next) {
                next = LLVMGetNextInstruction(in);
                if (LLVMIsAGetElementPtrInst(in) && LLVMGetGEPSourceElementType(in) == type)
                    retype_access(in, sound);
            }
        }
    }
}

/* Makes one allocation large enough and the copies go there. */
static void make_room_in_alloc(const struct nw_vlas *vlas, LLVMValueRef alloc, LLVMValueRef const *copies)
{
    struct nw_emitter e = nw_emitter_before(alloc);
    LLVMValueRef sizes[NW_MAX_VLAS], total, place, pairs;

    total = nw_emit_word(&e, nw_size_with_room(vlas->sizeof_shareds, (uint64_t)vlas->count * PAIR_SIZE));
    for (unsigned i = 0; i < vlas->count; i++) {
        sizes[i] = nw_emit_round_up(&e, nw_emit_computed(&e, LLVMGetOperand(copies[i], MEMCPY_SIZE), alloc));
        total = LLVMBuildAdd(e.builder, total, sizes[i], "nowait.shareds.size");
    }
    LLVMSetOperand(alloc, NW_ALLOC_SIZEOF_SHAREDS, total);

    LLVMPositionBuilderBefore(e.builder, LLVMGetNextInstruction(alloc));
    pairs = nw_emit_behind_shareds(&e, alloc, vlas->sizeof_shareds);
    place = nw_emit_advance(&e, pairs, nw_emit_word(&e, (uint64_t)vlas->count * PAIR_SIZE), "nowait.place");
    for (unsigned i = 0; i < vlas->count; i++) {
        uint64_t offset = (uint64_t)i * PAIR_SIZE;
        LLVMValueRef from = nw_emit_advance(&e, pairs, nw_emit_word(&e, offset), "");
        LLVMValueRef to = nw_emit_advance(&e, pairs, nw_emit_word(&e, offset + PAIR_SIZE / 2), "");
        struct nw_emitter at_copy = nw_emitter_before(copies[i]);

        LLVMBuildStore(e.builder, place, to);
        LLVMBuildStore(at_copy.builder, LLVMGetOperand(copies[i], MEMCPY_FROM), from);
        nw_emitter_end(&at_copy);
        LLVMSetOperand(copies[i], MEMCPY_TO, place);
        place = nw_emit_advance(&e, place, sizes[i], "nowait.place");
    }
    nw_emitter_end(&e);
}

void nw_vlas_make_room(LLVMTargetDataRef layout, struct nw_target_task *task, const struct nw_vlas *vlas)
{
    LLVMModuleRef module = LLVMGetGlobalParent(task->entry);
    LLVMTypeRef sound = without_negative_arrays(vlas->task_type);

    task->sizeof_task = LLVMABISizeOfType(layout, sound);
    for (unsigned i = 0; i < task->n_allocs; i++) {
        LLVMValueRef alloc = task->allocs[i].call;
        LLVMTypeRef word = LLVMTypeOf(LLVMGetOperand(alloc, NW_ALLOC_SIZEOF_TASK));

        LLVMSetOperand(alloc, NW_ALLOC_SIZEOF_TASK, LLVMConstInt(word, task->sizeof_task, false));
        make_room_in_alloc(vlas, alloc, vlas->copies[i]);
    }
    repair_layout(module, vlas->task_type);
    repair_layout(module, LLVMStructGetTypeAtIndex(vlas->task_type, PRIVATES_ELEMENT));
}

LLVMValueRef nw_vlas_choose(const struct nw_vlas *vlas, const struct nw_emitter *e, LLVMValueRef task,
                            LLVMValueRef old, LLVMValueRef copy)
{
    LLVMValueRef pairs = nw_emit_behind_shareds(e, task, vlas->sizeof_shareds);

    for (unsigned i = 0; i < vlas->count; i++) {
        LLVMValueRef from = nw_emit_load(e, pairs, (uint64_t)i * PAIR_SIZE, "nowait.from");
        LLVMValueRef to = nw_emit_load(e, pairs, (uint64_t)i * PAIR_SIZE + PAIR_SIZE / 2, "nowait.to");
        LLVMValueRef is_variable = LLVMBuildICmp(e->builder, LLVMIntEQ, old, from, "");
        LLVMValueRef is_chosen = LLVMBuildICmp(e->builder, LLVMIntEQ, old, to, "");
        LLVMValueRef is_array = LLVMBuildOr(e->builder, is_variable, is_chosen, "");

        copy = LLVMBuildSelect(e->builder, is_array, to, copy, "nowait.copy");
    }
    return copy;
}
