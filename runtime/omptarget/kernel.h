/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Target constructs, for the entry points of several names. */
#ifndef NW_KERNEL_H
#define NW_KERNEL_H

#include <stdint.h>

#include "support/ident.h"

struct nowait_kernel_args;

/* What __tgt_target_kernel does. The library's own way there: the exported name may be another library's. Returns 0, or
 * non-zero if the caller has to run the host version. Blocks: unless the block says nowait, inside a target task. */
int32_t nw_kernel_start(nw_ident_t *loc, int64_t number, int32_t num_teams, int32_t thread_limit, void *region_id,
                        struct nowait_kernel_args *args);

#endif
