/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "update_strides.h"

#include "ir_emit.h"
#include "ir_query.h"
#include "kernel_args.h"

#include <string.h>

#include "nowait/abi.h"

enum {
    DATA_POINTERS = 4, /* positions of arguments of the update call */
    DATA_TYPES = 6,
    MEMCPY_FROM = 1, /* position of an argument of llvm.memcpy */
    POINTER_SIZE = 8,
    DESCRIPTION_ALIGNMENT = 8,
    RECORD_SIZE = 24, /* of a description: offset, count, stride */
    RECORD_COUNT = 8,
    RECORD_STRIDE = 16
};

/* Whether value is a variable that clang describes a section in. */
static bool is_description(LLVMValueRef value)
{
    static const char name[] = "struct.descriptor_dim";
    LLVMTypeRef type;
    const char *type_name;

    if (!LLVMIsAAllocaInst(value))
        return false;
    type = LLVMGetAllocatedType(value);
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMStructTypeKind)
        return false;
    type_name = LLVMGetStructName(LLVMGetElementType(type));
    return type_name && strncmp(type_name, name, sizeof name - 1) == 0;
}

/* Looks in one offload array, a variable of the encountering function, for the description of an entry. */
static void search_array(LLVMTargetDataRef layout, LLVMValueRef array, uint32_t entry, LLVMValueRef *found_p)
{
    LLVMValueRef stored;

    if (!LLVMIsAAllocaInst(array))
        return;
    /* Clang stores the address of the section first, and then, over it, that of the description. */
    stored = nw_ir_stored_at(layout, array, (uint64_t)entry * POINTER_SIZE, is_description);
    if (stored)
        *found_p = stored;
}

/* Returns the description of an entry among the arrays that are copied to pointer, which points into the task. */
static void search_copies(LLVMTargetDataRef layout, LLVMValueRef pointer, uint32_t entry, LLVMValueRef *found_p)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAGetElementPtrInst(user)) {
            search_copies(layout, user, entry, found_p);
        } else if (LLVMIsAMemCpyInst(user) && LLVMGetOperand(user, 0) == pointer) {
            uint64_t offset;
            LLVMValueRef array = nw_ir_strip_offsets(layout, LLVMGetOperand(user, MEMCPY_FROM), &offset);

            if (offset == 0)
                search_array(layout, array, entry, found_p);
        }
    }
}

/* Adds the strided section at entry. */
static const char *match_section(LLVMTargetDataRef layout, const struct nw_target_task *task, uint32_t entry,
                                 struct nw_strides *strides)
{
    struct nw_strided *section = &strides->sections[strides->count];

    if (strides->count == NW_MAX_STRIDED)
        return "it updates too many strided sections";
    section->entry = entry;
    section->offset = strides->total;
    for (unsigned i = 0; i < task->n_allocs; i++) {
        LLVMValueRef call = task->allocs[i].call, found = NULL;

        search_copies(layout, call, entry, &found);
        if (!found || !nw_ir_const_int(LLVMGetOperand(call, NW_ALLOC_SIZEOF_SHAREDS), &strides->sizeof_shareds))
            return "the description of a strided section was not found";
        section->variables[i] = found;
        section->size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(found));
    }
    strides->total += section->size;
    strides->count++;
    return NULL;
}

const char *nw_strides_match(LLVMTargetDataRef layout, const struct nw_target_task *task, struct nw_strides *strides_p)
{
    strides_p->count = 0;
    strides_p->total = 0;
    for (unsigned i = 0; i < task->n_dispatches; i++) {
        const struct nw_dispatch *dispatch = &task->dispatches[i];
        LLVMValueRef types;

        if (dispatch->kind != NW_DISPATCH_UPDATE)
            continue;
        types = nw_map_types(LLVMGetOperand(dispatch->call, DATA_TYPES), dispatch->n_maps);
        for (uint32_t entry = 0; entry < dispatch->n_maps; entry++) {
            const char *why = NULL;
            uint64_t type;

            if (!types || !nw_map_type(types, entry, &type))
                return "its map types are not known constants";
            if (type & NW_MAP_NON_CONTIGUOUS)
                why = match_section(layout, task, entry, strides_p);
            if (why)
                return why;
        }
    }
    return strides_p->count > 0 && task->n_dispatches > 1 ? "it updates strided sections in more than one call" : NULL;
}

static bool is_section_begin(LLVMValueRef value)
{
    return !is_description(value);
}

/* Emits, behind the store of a description's address, what makes its last record say where the section begins. */
static void place_description(LLVMTargetDataRef layout, LLVMValueRef store, LLVMValueRef begin)
{
    LLVMValueRef description = LLVMGetOperand(store, 0), last, element;
    struct nw_emitter e = nw_emitter_before(LLVMGetNextInstruction(store));
    uint64_t size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(description));

    last = nw_emit_advance(&e, description, nw_emit_word(&e, size - RECORD_SIZE), "nowait.last");
    element = LLVMBuildLoad2(e.builder, e.word, nw_emit_advance(&e, last, nw_emit_word(&e, RECORD_STRIDE), ""),
                             "nowait.element");
    LLVMBuildStore(e.builder, LLVMBuildPtrToInt(e.builder, begin, e.word, "nowait.begin"), last);
    LLVMBuildStore(e.builder, element, nw_emit_advance(&e, last, nw_emit_word(&e, RECORD_COUNT), ""));
    LLVMBuildStore(e.builder, nw_emit_word(&e, NOWAIT_SECTION_PLACED),
                   nw_emit_advance(&e, last, nw_emit_word(&e, RECORD_STRIDE), ""));
    nw_emitter_end(&e);
}

/* Places a description wherever its address is stored in an offload array. */
static unsigned place_uses(LLVMTargetDataRef layout, LLVMValueRef description)
{
    unsigned count = 0;

    for (LLVMUseRef use = LLVMGetFirstUse(description); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef store = LLVMGetUser(use), array, begin;
        uint64_t offset;

        if (!LLVMIsAStoreInst(store) || LLVMGetOperand(store, 0) != description)
            continue;
        array = nw_ir_strip_offsets(layout, LLVMGetOperand(store, 1), &offset);
        begin = LLVMIsAAllocaInst(array) ? nw_ir_stored_at(layout, array, offset, is_section_begin) : NULL;
        if (begin && nw_ir_is_available(begin, store)) {
            place_description(layout, store, begin);
            count++;
        }
    }
    return count;
}

unsigned nw_strides_place(LLVMTargetDataRef layout, LLVMModuleRef module)
{
    unsigned count = 0;

    for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in))
                if (is_description(in))
                    count += place_uses(layout, in);
    return count;
}

/* Emits, before submit, the copies of the descriptions of allocation number i. */
static void copy_descriptions(const struct nw_strides *strides, LLVMValueRef alloc, LLVMValueRef submit, unsigned i)
{
    struct nw_emitter e = nw_emitter_before(submit);
    LLVMValueRef place = nw_emit_behind_shareds(&e, alloc, strides->sizeof_shareds);

    for (unsigned j = 0; j < strides->count; j++) {
        const struct nw_strided *section = &strides->sections[j];
        LLVMValueRef to = nw_emit_advance(&e, place, nw_emit_word(&e, section->offset), "nowait.strides");

        LLVMBuildMemCpy(e.builder, to, DESCRIPTION_ALIGNMENT, section->variables[i], DESCRIPTION_ALIGNMENT,
                        nw_emit_word(&e, section->size));
    }
    nw_emitter_end(&e);
}

void nw_strides_keep(const struct nw_target_task *task, const struct nw_strides *strides)
{
    LLVMValueRef dispatch = task->dispatches[0].call, place;
    struct nw_emitter e = nw_emitter_before(dispatch);

    for (unsigned i = 0; i < task->n_allocs; i++) {
        const struct nw_task_alloc *alloc = &task->allocs[i];
        uint64_t size = nw_size_with_room(strides->sizeof_shareds, strides->total);

        LLVMSetOperand(alloc->call, NW_ALLOC_SIZEOF_SHAREDS,
                       LLVMConstInt(LLVMTypeOf(LLVMGetOperand(alloc->call, NW_ALLOC_SIZEOF_SHAREDS)), size, false));
        for (unsigned j = 0; j < alloc->n_submits; j++)
            copy_descriptions(strides, alloc->call, alloc->submits[j], i);
    }
    place = nw_emit_behind_shareds(&e, task->task, strides->sizeof_shareds);
    for (unsigned i = 0; i < strides->count; i++) {
        const struct nw_strided *section = &strides->sections[i];
        LLVMValueRef entry = nw_emit_advance(&e, LLVMGetOperand(dispatch, DATA_POINTERS),
                                             nw_emit_word(&e, (uint64_t)section->entry * POINTER_SIZE), "nowait.entry");

        LLVMBuildStore(e.builder, nw_emit_advance(&e, place, nw_emit_word(&e, section->offset), "nowait.strides"),
                       entry);
    }
    nw_emitter_end(&e);
}
