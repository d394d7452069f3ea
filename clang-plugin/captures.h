/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Mends what a deferred kernel launch reads of captured aggregates (OpenMP 5.2, section 5.4.4 "firstprivate").
 *
 * Clang copies a firstprivate array, structure or object into the task, but stores the address of the encountering
 * function's variable in the offload arrays. A region that starts later reads a changed variable or a frame that is
 * gone. The host version of the region is called with the right addresses, so those are what the arrays get too.
 */
#ifndef NOWAIT_PLUGIN_CAPTURES_H
#define NOWAIT_PLUGIN_CAPTURES_H

#include "target_task.h"
#include "vla_captures.h"

/* The captures of one kernel launch. */
struct nw_captures {
    LLVMValueRef host_call;  /* call of the host version of the region */
    LLVMValueRef types;      /* constant map types */
    uint32_t n_maps;
    uint32_t n_redirected;   /* entries to be redirected to the task's own copy */
};

/*
 * Finds out what has to be redirected for dispatch, a call in a target task's body.
 *
 * Returns NULL and fills *captures_p; else the reason why the captures cannot be mended, in words for the user.
 */
const char *nw_captures_match(LLVMTargetDataRef layout, const struct nw_dispatch *dispatch,
                              struct nw_captures *captures_p);

/* Inserts, before dispatch, the code that redirects the captures. vlas: the task's, empty if it has none. */
void nw_captures_redirect(const struct nw_target_task *task, const struct nw_dispatch *dispatch,
                          const struct nw_captures *captures, const struct nw_vlas *vlas);

#endif
