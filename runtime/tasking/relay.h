/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Relays: the end of a detached task that becomes known outside its team is handed to a thread of the team.
 *
 * A thread outside the team can fulfil a task's event, but does half of it: libomp takes the task off its parent's
 * count of children at once, but releases its dependences and frees it later, by an entry in the queue of one of the
 * team's threads. Whoever waits for the count (taskwait, a barrier) can go on before that entry has run. After a
 * barrier the team uses another queue, so a later task on the same address would wait for a release that never comes; a
 * thread that takes the entry while the team goes on spoils libomp's count of those that are through
 * (__kmp_execute_tasks_template, unfinished_threads); a thread may end with such entries in its queue; and they pile
 * up.
 *
 * So the task that detaches makes two children of its own: a gate, which the device's thread completes in that half
 * way, and behind it an empty host task, which a thread of the team runs and which fulfils the event there, wholly.
 * What orders the two lies with the detached task and goes with it. It must not lie with an implicit task: there two
 * threads may clear the table of dependences at a time when a parallel region ends (__kmp_free_task_and_ancestors tests
 * td_flags.complete, which the implicit task's own thread writes back with the flags it sets, without a lock).
 */
#ifndef NW_RELAY_H
#define NW_RELAY_H

#include "tasking/libomp.h"

/*
 * Makes the relay of the current task, a detached one, on the thread that runs it. Once it has been started,
 * function(argument) is called once, by a thread of the team, also if the task's taskgroup is cancelled.
 */
nw_kmp_task_t *nw_relay_make(nw_ident_t *loc, int32_t gtid, void (*function)(void *), void *argument);

/* Starts it. Does not block. Threads: any; the relay is gone with this. */
void nw_relay_start(nw_kmp_task_t *relay);

#endif
