/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Gives captured variable-length arrays (firstprivate, C99 6.7.6.2) a place of their own.
 *
 * Clang gives such an array no room in the task: it lays the task out as if the array had no elements, and copies all
 * of them there, over the offload arrays and past the end. Here the array goes behind the shareds, whose size is an
 * argument of the allocation and may vary:
 *
 *     shareds | from, to of array 0 | from, to of array 1 ... | elements of array 0 | elements of array 1 ...
 *
 * "from" is the variable's address in the encountering function, by which the outlined function finds the array among
 * the entries of its offload arrays; "to" is the address of the elements here.
 */
#ifndef NOWAIT_PLUGIN_VLA_CAPTURES_H
#define NOWAIT_PLUGIN_VLA_CAPTURES_H

#include "ir_emit.h"
#include "target_task.h"

enum { NW_MAX_VLAS = 16 };

/* The variable-length arrays that a task captures. */
struct nw_vlas {
    unsigned count;             /* 0: none, and then nothing else here means anything */
    uint64_t sizeof_shareds;    /* as clang has it */
    LLVMTypeRef task_type;      /* the task with its private part, as clang lays it out */
    LLVMValueRef copies[NW_MAX_ALLOCS][NW_MAX_VLAS]; /* for each allocation, the calls that copy the arrays */
};

/* Finds the arrays. Returns NULL and fills *vlas_p, also when there are none; else the reason why they cannot be given
 * a place, in words for the user. */
const char *nw_vlas_match(LLVMTargetDataRef layout, const struct nw_target_task *task, struct nw_vlas *vlas_p);

/* Changes the allocations and copies of task, and its size in *task, before the calls are replaced. */
void nw_vlas_make_room(LLVMTargetDataRef layout, struct nw_target_task *task, const struct nw_vlas *vlas);

/*
 * Emits, in the task's body, the choice of the address of a capture: the place of the array whose variable is (or whose
 * elements are, if it has been chosen before) at old, and copy if there is no such array.
 */
LLVMValueRef nw_vlas_choose(const struct nw_vlas *vlas, const struct nw_emitter *e, LLVMValueRef task,
                            LLVMValueRef old, LLVMValueRef copy);

#endif
