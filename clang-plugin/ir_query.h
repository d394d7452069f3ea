/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Questions about LLVM IR that the LLVM-C API does not answer by itself. Nothing here changes the module.
 */
#ifndef NOWAIT_PLUGIN_IR_QUERY_H
#define NOWAIT_PLUGIN_IR_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

/* Returns the function that a direct call calls, NULL for anything else (invokes and indirect calls included). */
LLVMValueRef nw_ir_callee(LLVMValueRef value);

/* Returns the same for a call or an invoke. */
LLVMValueRef nw_ir_callee_or_invokee(LLVMValueRef value);

/* Whether value is a direct call of the function with this name. */
bool nw_ir_is_call_to(LLVMValueRef value, const char *name);

/* Whether function has exactly this name. */
bool nw_ir_has_name(LLVMValueRef function, const char *name);

/* Whether value is an integer constant; its value, zero extended, goes to *out_p. */
bool nw_ir_const_int(LLVMValueRef value, uint64_t *out_p);

/* Follows a load of a local variable that is written only once back to the value written, as unoptimised code keeps
 * every parameter in such a variable. Returns value itself when there is nothing to follow. */
LLVMValueRef nw_ir_source(LLVMValueRef value);

/* Splits a pointer into a base and a constant byte distance by looking through constant GEPs. Returns the base. */
LLVMValueRef nw_ir_strip_offsets(LLVMTargetDataRef layout, LLVMValueRef pointer, uint64_t *offset_p);

/* Returns the value of the only store to base + offset, found through constant GEPs of base, of a value that is wanted
 * (NULL: any); NULL if there is no such store or more than one. */
LLVMValueRef nw_ir_stored_at(LLVMTargetDataRef layout, LLVMValueRef base, uint64_t offset,
                             bool (*is_wanted)(LLVMValueRef value));

/* Number of uses of value. */
unsigned nw_ir_use_count(LLVMValueRef value);

/* Whether value has been computed whenever position is reached. */
bool nw_ir_is_available(LLVMValueRef value, LLVMValueRef position);

/*
 * Whether value can be had at position: it is computed before it on every path, or can be computed again there from
 * such values by arithmetic and, if with_loads, by loads. The caller vouches that what these loads read is the same.
 */
bool nw_ir_can_compute(LLVMValueRef value, LLVMValueRef position, bool with_loads);

#endif
