/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recognises the target tasks that clang emits for deferred target constructs.
 *
 * One construct is an allocation call and a submission call in the function that encounters it, and an entry function
 * that libomp calls to run the task. The entry calls an outlined function (or, in optimised code, contains its body)
 * which makes the dispatch call: the call into the offload runtime that starts the device work.
 */
#ifndef NOWAIT_PLUGIN_TARGET_TASK_H
#define NOWAIT_PLUGIN_TARGET_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

#define NW_TARGET_TASK_ALLOC "__kmpc_omp_target_task_alloc"

enum {
    NW_ALLOC_SIZEOF_TASK = 3, /* positions of arguments of the allocation call */
    NW_ALLOC_SIZEOF_SHAREDS = 4,
    NW_ALLOC_ENTRY = 5,
    NW_MAX_DISPATCHES = 8,    /* dispatch calls in one entry; clang emits one */
    NW_MAX_ALLOCS = 64,       /* allocation calls for one entry; clang emits one, optimised code may copy it */
    NW_MAX_SUBMITS = 8        /* submission calls for one allocation; clang emits one */
};

enum nw_dispatch_kind { NW_DISPATCH_KERNEL, NW_DISPATCH_BEGIN, NW_DISPATCH_END, NW_DISPATCH_UPDATE, NW_DISPATCH_KINDS };

/* A call into the offload runtime inside a target task. */
struct nw_dispatch {
    LLVMValueRef call;
    enum nw_dispatch_kind kind;
    uint32_t n_maps;
};

/* An allocation of the task and the calls that submit it. */
struct nw_task_alloc {
    LLVMValueRef call;
    LLVMValueRef submits[NW_MAX_SUBMITS];
    unsigned n_submits;
};

/* All that belongs to one entry function. */
struct nw_target_task {
    LLVMValueRef entry;
    LLVMValueRef body; /* the function with the dispatch calls: the outlined function, or the entry itself */
    LLVMValueRef gtid; /* body's own values for the entry's two parameters */
    LLVMValueRef task;
    uint64_t sizeof_task;
    uint32_t n_maps; /* the largest of its dispatch calls */
    bool in_reduction;
    struct nw_dispatch dispatches[NW_MAX_DISPATCHES];
    unsigned n_dispatches;
    struct nw_task_alloc allocs[NW_MAX_ALLOCS];
    unsigned n_allocs;
};

/*
 * Examines everything that belongs to entry, a function passed to an allocation call.
 *
 * Returns NULL and fills *task_p if it can be rewritten; else the reason, in words for the user, and *task_p holds
 * nothing of use.
 */
const char *nw_target_task_match(LLVMTargetDataRef layout, LLVMValueRef entry, struct nw_target_task *task_p);

/* The runtime functions whose calls in a target task are replaced; NULL ends the list. */
extern const char *const nw_replaced_functions[];

/* What users call the construct behind a dispatch call: "target region", "target enter data", ... */
const char *nw_dispatch_construct(enum nw_dispatch_kind kind);

#endif
