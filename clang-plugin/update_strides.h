/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Strided sections of target update (OpenMP 5.2, section 3.2.5), such as to(a[0:n:2]).
 *
 * Clang describes one by an array of {offset, count, stride} in the frame of the encountering function, and stores that
 * array's address in the offload arrays. An update that waits for dependences would read it after the frame is gone:
 * here it is copied behind the shareds of the task, and the offload arrays point there.
 */
#ifndef NOWAIT_PLUGIN_UPDATE_STRIDES_H
#define NOWAIT_PLUGIN_UPDATE_STRIDES_H

#include "target_task.h"

enum { NW_MAX_STRIDED = 16 };

/* One description: where clang builds it, for each allocation, and where it goes. */
struct nw_strided {
    uint32_t entry;  /* its position in the offload arrays */
    uint64_t size;   /* bytes */
    uint64_t offset; /* from the place behind the shareds */
    LLVMValueRef variables[NW_MAX_ALLOCS];
};

/* The strided sections of a task. */
struct nw_strides {
    unsigned count; /* 0: none */
    uint64_t sizeof_shareds;
    uint64_t total; /* bytes of all descriptions */
    struct nw_strided sections[NW_MAX_STRIDED];
};

/* Finds the strided sections. Returns NULL and fills *strides_p, also when there are none; else the reason why they
 * cannot be kept, in words for the user. */
const char *nw_strides_match(LLVMTargetDataRef layout, const struct nw_target_task *task,
                             struct nw_strides *strides_p);

/*
 * Makes every description in the module, of deferred updates and others, say where its section begins: clang stores
 * that address in the offload array before it stores the description's over it, and the description leaves it open
 * (NOWAIT_SECTION_PLACED in nowait/abi.h). Returns the number of descriptions that were changed.
 */
unsigned nw_strides_place(LLVMTargetDataRef layout, LLVMModuleRef module);

/* Emits the copies and makes the offload arrays point to them, before the calls of task are replaced. */
void nw_strides_keep(const struct nw_target_task *task, const struct nw_strides *strides);

#endif
