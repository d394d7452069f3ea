/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Host tasks of threads that also launch regions: what orders the two, and what stock libomp gets wrong about them in a
 * team of one thread. */
#ifndef NW_HOST_TASK_H
#define NW_HOST_TASK_H

#include "tasking/libomp.h"

/* Makes a host task, so that libomp counts it (see nw_launcher_host_flags), with room for its place in the graph. */
nw_kmp_task_t *nw_host_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                  size_t sizeof_shareds, nowait_task_entry_t entry);

/* Hands libomp a host task without dependences. */
int32_t nw_host_task(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task);

/* Hands libomp a host task with dependences, behind the regions that it depends on. Blocks: never. */
int32_t nw_host_task_with_deps(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                               struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias);

/*
 * Prepares the task that a taskloop makes its tasks from. Returns the task to use, and moves the bounds, which lie in
 * it. In a team of one libomp never counts a taskloop's tasks when it makes them, but does when they end if the parent
 * has unfinished children: so there the parent's regions are waited for first, and the task is made anew, uncounted.
 * Blocks: only in that case.
 */
nw_kmp_task_t *nw_host_task_taskloop(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, uint64_t **lower_p,
                                     uint64_t **upper_p);

#endif
