/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How a target task ends.
 *
 * A task of the form PROXY or DETACHED is complete when all its holds are gone: its entry's and its operation's.
 * Whoever gives up the last one releases the task's dependences in libomp, and thereby may free the slot.
 */
#ifndef NW_COMPLETION_H
#define NW_COMPLETION_H

#include "tasking/slot.h"

/* For a task's entry: keeps the task from completing until nw_completion_release, which any thread may call, as its
 * last touch of the task. Returns false where a task is complete when its entry returns. */
bool nw_completion_hold(nw_slot_t *slot);
void nw_completion_release(nw_slot_t *slot);

/* For a task of the form DETACHED with an operation in flight, at the end of its routine: the task stays incomplete
 * when the routine has returned. */
void nw_completion_detach(nw_slot_t *slot, int32_t gtid);

/* Gives up the entry's hold of a task of the form DETACHED, at the end of its routine. */
void nw_completion_leave(nw_slot_t *slot);

/*
 * Returns when the thread `runner` has left the detached task that it has run (nw_libomp_current_task there; NULL: not
 * known). libomp reads the task once more after it has let the task go (__kmp_task_finish, the async handle): were it
 * completed in between, by another thread, that would read what uses the memory next. Blocks: for the time of a few
 * instructions, unless the runner loses its processor there.
 */
void nw_completion_wait_until_left(int32_t runner, const void *task);

/* Ends what libomp leaves to us of a task in requeue mode, before libomp hears that its operation is over. */
void nw_completion_requeued(nw_op_t *op);

/* After fork, in the child: libomp knows the calling thread by another number. */
void nw_completion_after_fork(void);

#endif
