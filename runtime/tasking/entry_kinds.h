/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is known of the entries of target tasks that were compiled without the plugin. A task says nothing of what its
 * entry will do: at first its code is read (entry_code.h), then its runs show more.
 */
#ifndef NW_ENTRY_KINDS_H
#define NW_ENTRY_KINDS_H

#include "nowait/abi.h"

typedef enum nw_entry_kind {
    NW_ENTRY_UNKNOWN,
    NW_ENTRY_DISPATCHES, /* calls the runtime for a device operation */
    NW_ENTRY_CAPTURES,   /* does that, perhaps with firstprivate variables that travel by address; see capture.h */
    NW_ENTRY_REDUCES,    /* does that, and reads a task reduction's private copy before */
    NW_ENTRY_HOST_ONLY   /* runs the region on the host (if clause false, or no device code) */
} nw_entry_kind_t;

/* What is known of an entry; reads its code if it has not been asked for before. Threads: any. Blocks: never. */
nw_entry_kind_t nw_entry_kind_get(nowait_task_entry_t entry);
void nw_entry_kind_learn(nowait_task_entry_t entry, nw_entry_kind_t kind);

/* Forgets everything: a library with entries is going, and another may come to the same addresses. */
void nw_entry_kinds_forget(void);

#endif
