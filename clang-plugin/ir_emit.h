/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Emits small pieces of IR with the types that all inserted code is made of.
 */
#ifndef NOWAIT_PLUGIN_IR_EMIT_H
#define NOWAIT_PLUGIN_IR_EMIT_H

#include <stdint.h>

#include "llvm-c/Core.h"

/* Where code is inserted, and the types of a byte, of a 64-bit word and of a pointer. */
struct nw_emitter {
    LLVMBuilderRef builder;
    LLVMTypeRef byte, word, pointer;
};

/* Returns an emitter that inserts before instruction, with its source line. Owns: nw_emitter_end ends it. */
struct nw_emitter nw_emitter_before(LLVMValueRef instruction);
void nw_emitter_end(struct nw_emitter *emitter);

/* The word with this value. */
LLVMValueRef nw_emit_word(const struct nw_emitter *e, uint64_t value);

/* Emits pointer + distance bytes. */
LLVMValueRef nw_emit_advance(const struct nw_emitter *e, LLVMValueRef pointer, LLVMValueRef distance, const char *name);

/* Emits the load of the pointer at address + offset bytes. */
LLVMValueRef nw_emit_load(const struct nw_emitter *e, LLVMValueRef address, uint64_t offset, const char *name);

/* Emits value, which nw_ir_can_compute says can be had at position, where e inserts. */
LLVMValueRef nw_emit_computed(const struct nw_emitter *e, LLVMValueRef value, LLVMValueRef position);

/*
 * Room behind the shareds of a task, for what clang leaves in the encountering function. The size of the shareds is an
 * argument of the allocation, and their address is the first word of the task.
 */

/* The size of the shareds, sizeof_shareds bytes as clang has it, with room for more bytes behind them. */
uint64_t nw_size_with_room(uint64_t sizeof_shareds, uint64_t room);

/* Emits the address of that room, aligned to 16. */
LLVMValueRef nw_emit_behind_shareds(const struct nw_emitter *e, LLVMValueRef task, uint64_t sizeof_shareds);

/* Emits value rounded up to a multiple of 16. */
LLVMValueRef nw_emit_round_up(const struct nw_emitter *e, LLVMValueRef value);

#endif
