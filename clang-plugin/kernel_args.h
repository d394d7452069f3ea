/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The kernel argument block (KernelArgsTy) as compiled code fills it in just before it launches a kernel: a local
 * variable of 104 bytes.
 */
#ifndef NOWAIT_PLUGIN_KERNEL_ARGS_H
#define NOWAIT_PLUGIN_KERNEL_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

/* Byte offsets in the block. */
enum {
    NW_KERNEL_ARGS_COUNT = 4,
    NW_KERNEL_ARGS_BASES = 8,
    NW_KERNEL_ARGS_POINTERS = 16,
    NW_KERNEL_ARGS_TYPES = 32
};

/* Map type bits that decide where a value is read from. */
#define NW_MAP_PTR_AND_OBJ 0x10u
#define NW_MAP_TARGET_PARAM 0x20u
#define NW_MAP_PRIVATE 0x80u
#define NW_MAP_LITERAL 0x100u
#define NW_MAP_NON_CONTIGUOUS 0x100000000000u
/* Index + 1 of the entry that this one is a member of. */
#define NW_MAP_MEMBER_OF(type) ((uint32_t)((type) >> 48))

/* Reads the constant number of map entries; false if it is not constant. */
bool nw_kernel_args_count(LLVMTargetDataRef layout, LLVMValueRef block, uint64_t *count_p);

/* Returns the constant array of map types (with count elements) that a kernel argument block, or a pointer to the array
 * itself, leads to; NULL if it is not constant. */
LLVMValueRef nw_map_types(LLVMValueRef pointer, uint32_t count);
LLVMValueRef nw_kernel_args_types(LLVMTargetDataRef layout, LLVMValueRef block, uint32_t count);

/* Map type i of an array from nw_kernel_args_types; false if it is not a plain number. */
bool nw_map_type(LLVMValueRef types, uint32_t i, uint64_t *type_p);

#endif
