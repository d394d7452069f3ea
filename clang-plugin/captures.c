/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "captures.h"

#include "ir_emit.h"
#include "ir_query.h"
#include "kernel_args.h"

#include <string.h>

enum { KERNEL_REGION_ID = 4, KERNEL_BLOCK = 5 };

/* Whether host is the host version of the region that region_id stands for: the global is called ".NAME.region_id". */
static bool is_host_version(LLVMValueRef host, LLVMValueRef region_id)
{
    static const char suffix[] = ".region_id";
    size_t id_length = 0, host_length = 0;
    const char *id = LLVMGetValueName2(region_id, &id_length);
    const char *name = LLVMGetValueName2(host, &host_length);

    return id_length == host_length + 1 + (sizeof suffix - 1) && id[0] == '.' &&
           memcmp(id + 1, name, host_length) == 0 && memcmp(id + 1 + host_length, suffix, sizeof suffix - 1) == 0;
}

/* Returns the call of the host version of dispatch's region in the same function, NULL if there is none. */
static LLVMValueRef find_host_call(LLVMValueRef dispatch_call)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(dispatch_call));
    LLVMValueRef region_id = LLVMGetOperand(dispatch_call, KERNEL_REGION_ID);

    if (!LLVMIsAGlobalVariable(region_id))
        return NULL;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
            LLVMValueRef callee = nw_ir_callee_or_invokee(in);

            if (callee && is_host_version(callee, region_id))
                return in;
        }
    }
    return NULL;
}

/* Whether entry type is a capture that clang addresses in the wrong frame. */
static bool is_private_copy(uint64_t type)
{
    return (type & NW_MAP_PRIVATE) && !(type & NW_MAP_LITERAL) && (type & NW_MAP_TARGET_PARAM);
}

/* Checks that every entry to be redirected has its address in the host call, and counts those entries. */
static const char *check_entries(const struct nw_dispatch *dispatch, struct nw_captures *captures)
{
    unsigned n_args = LLVMGetNumArgOperands(captures->host_call), position = 0;

    for (uint32_t i = 0; i < captures->n_maps; i++) {
        LLVMValueRef copy;
        uint64_t type;

        if (!nw_map_type(captures->types, i, &type))
            return "its map types are not known constants";
        if (!(type & NW_MAP_TARGET_PARAM))
            continue;
        if (position == n_args)
            break;
        copy = LLVMGetOperand(captures->host_call, position++);
        if (!is_private_copy(type))
            continue;
        if (LLVMGetTypeKind(LLVMTypeOf(copy)) != LLVMPointerTypeKind || !nw_ir_can_compute(copy, dispatch->call, true))
            return "the task's copy of a captured variable was not found";
        captures->n_redirected++;
    }
    return position == n_args ? NULL : "its map entries do not match the parameters of the region";
}

const char *nw_captures_match(LLVMTargetDataRef layout, const struct nw_dispatch *dispatch,
                              struct nw_captures *captures_p)
{
    bool any = false;

    memset(captures_p, 0, sizeof *captures_p);
    if (dispatch->kind != NW_DISPATCH_KERNEL || dispatch->n_maps == 0)
        return NULL;
    captures_p->n_maps = dispatch->n_maps;
    captures_p->types = nw_kernel_args_types(layout, LLVMGetOperand(dispatch->call, KERNEL_BLOCK), dispatch->n_maps);
    if (!captures_p->types)
        return "its map types are not known constants";
    for (uint32_t i = 0; i < dispatch->n_maps; i++) {
        uint64_t type;

        if (!nw_map_type(captures_p->types, i, &type))
            return "its map types are not known constants";
        any = any || is_private_copy(type);
    }
    if (!any)
        return NULL;
    captures_p->host_call = find_host_call(dispatch->call);
    if (!captures_p->host_call)
        return "the task's copies of its captured variables cannot be told: it has no host version";
    return check_entries(dispatch, captures_p);
}

/* The task's own offload arrays, and where the code that changes them goes. */
struct redirection {
    struct nw_emitter emitter;
    LLVMValueRef bases, pointers;
};

/* Address of element i of one of the offload arrays. */
static LLVMValueRef element(const struct redirection *r, LLVMValueRef array, uint32_t i)
{
    LLVMValueRef index = nw_emit_word(&r->emitter, i);

    return LLVMBuildInBoundsGEP2(r->emitter.builder, r->emitter.pointer, array, &index, 1, "nowait.entry");
}

/* Adds delta bytes to the pointer in an element of an offload array. */
static void shift_element(const struct redirection *r, LLVMValueRef address, LLVMValueRef delta)
{
    LLVMValueRef old = nw_emit_load(&r->emitter, address, 0, "nowait.old");

    LLVMBuildStore(r->emitter.builder, nw_emit_advance(&r->emitter, old, delta, "nowait.moved"), address);
}

/* Moves a member of a captured object, such as what a lambda captures: its base, which is its place in the object. Of a
 * captured `this` clang gives that place as the pointer, too. */
static void shift_member(const struct redirection *r, uint32_t member, LLVMValueRef delta)
{
    LLVMBuilderRef builder = r->emitter.builder;
    LLVMValueRef base = element(r, r->bases, member), pointer = element(r, r->pointers, member);
    LLVMValueRef place = nw_emit_load(&r->emitter, base, 0, "nowait.place");
    LLVMValueRef captured = nw_emit_load(&r->emitter, pointer, 0, "nowait.captured");
    LLVMValueRef moved = nw_emit_advance(&r->emitter, place, delta, "nowait.moved");
    LLVMValueRef is_this = LLVMBuildICmp(builder, LLVMIntEQ, place, captured, "nowait.this");

    LLVMBuildStore(builder, moved, base);
    LLVMBuildStore(builder, LLVMBuildSelect(builder, is_this, moved, captured, "nowait.data"), pointer);
}

/*
 * Entry i, whose base is old and is stored at address base, now begins at copy. The distance between base and pointer
 * stays, and so does the place inside it of entries that are members of it (the captures of a lambda). Doing it twice
 * changes nothing more.
 */
static void redirect_entry(const struct redirection *r, const struct nw_captures *captures, uint32_t i,
                           LLVMValueRef base, LLVMValueRef old, LLVMValueRef copy)
{
    LLVMBuilderRef builder = r->emitter.builder;
    LLVMValueRef from = LLVMBuildPtrToInt(builder, old, r->emitter.word, "nowait.from");
    LLVMValueRef to = LLVMBuildPtrToInt(builder, copy, r->emitter.word, "nowait.to");
    LLVMValueRef delta = LLVMBuildSub(builder, to, from, "nowait.delta");

    LLVMBuildStore(builder, copy, base);
    shift_element(r, element(r, r->pointers, i), delta);
    for (uint32_t member = 0; member < captures->n_maps; member++) {
        uint64_t type = 0;

        if (nw_map_type(captures->types, member, &type) && NW_MAP_MEMBER_OF(type) == i + 1)
            shift_member(r, member, delta);
    }
}

void nw_captures_redirect(const struct nw_target_task *task, const struct nw_dispatch *dispatch,
                          const struct nw_captures *captures, const struct nw_vlas *vlas)
{
    LLVMValueRef block = LLVMGetOperand(dispatch->call, KERNEL_BLOCK);
    struct redirection r;
    unsigned position = 0;

    if (captures->n_redirected == 0)
        return;
    r.emitter = nw_emitter_before(dispatch->call);
    r.bases = nw_emit_load(&r.emitter, block, NW_KERNEL_ARGS_BASES, "nowait.bases");
    r.pointers = nw_emit_load(&r.emitter, block, NW_KERNEL_ARGS_POINTERS, "nowait.pointers");
    for (uint32_t i = 0; i < captures->n_maps; i++) {
        LLVMValueRef base, old, copy;
        uint64_t type = 0;

        if (!nw_map_type(captures->types, i, &type) || !(type & NW_MAP_TARGET_PARAM))
            continue;
        if (is_private_copy(type)) {
            base = element(&r, r.bases, i);
            old = nw_emit_load(&r.emitter, base, 0, "nowait.old");
            copy = nw_emit_computed(&r.emitter, LLVMGetOperand(captures->host_call, position), dispatch->call);
            if (vlas->count > 0) {
                copy = nw_vlas_choose(vlas, &r.emitter, task->task, old, copy);
                LLVMSetOperand(captures->host_call, position, copy);
            }
            redirect_entry(&r, captures, i, base, old, copy);
        }
        position++;
    }
    nw_emitter_end(&r.emitter);
}
