/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pins: what a completed region leaves in its team's queue must be run before the team goes on.
 *
 * When a device's thread completes a task, libomp takes it off its parent's count of children at once, but releases its
 * dependences and frees it later, by an entry in the queue of one of the team's threads. Whoever waits for the count
 * (taskwait, a barrier) can go on before that entry has run. After a barrier the team uses another queue, so a later
 * task on the same address would wait for a release that never comes; a thread that takes the entry while the team goes
 * on spoils libomp's count of those that are through (__kmp_execute_tasks_template, unfinished_threads); a thread may
 * end with such entries in its queue; and they pile up.
 *
 * So each such task gets a pin: an empty host task that depends on it by an address of our own. The pin is among the
 * parent's children until it runs, and it runs only after the release.
 */
#ifndef NW_PIN_H
#define NW_PIN_H

#include "tasking/libomp.h"

/* Submits a region's task with its dependences and a pin. Returns what libomp returns for the task. */
int32_t nw_pin_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                      struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias);

/*
 * As nw_pin_submit, without a pin: for a task that its device's thread completes in place.
 *
 * Both hand libomp mutexinoutset as inout, which orders more than is asked for: libomp lets regions in a mutexinoutset
 * run together, as it takes the lock only where it runs a task from a queue.
 */
int32_t nw_unpinned_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                           struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias);

/* Makes one pin for all tasks with dependences that the current task has made so far. */
void nw_pin_all(nw_ident_t *loc, int32_t gtid);

#endif
