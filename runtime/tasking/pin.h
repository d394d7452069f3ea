/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pins: what a completed region leaves in its team's queue must be run before the team goes on.
 *
 * Why, says relay.h. In a team of one thread the tasks are proxies, which are never libomp's current task and so have
 * no children. There a task gets a pin: an empty host task that depends on it by an address of our own. The pin is
 * among the parent's children until it runs, and it runs only after the release.
 */
#ifndef NW_PIN_H
#define NW_PIN_H

#include "tasking/libomp.h"

/* Submits a region's task with its dependences and a pin. Returns what libomp returns for the task. */
int32_t nw_pin_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                      struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias);

/*
 * As nw_pin_submit, without a pin: for a task with a relay.
 *
 * Both hand libomp mutexinoutset as inout, which orders more than is asked for: libomp lets regions in a mutexinoutset
 * run together, as it takes the lock only where it runs a task from a queue.
 */
int32_t nw_unpinned_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                           struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias);

/* The calling thread ends, its pins have run. */
void nw_pin_thread_ends(void);

#endif
