/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A libomp for tests, in the place of tasking/libomp.c: threads, teams, tasks and their dependences as libomp 19 has
 * them (openmp/runtime/src/kmp_tasking.cpp, kmp_taskdeps.h), in a run of schedule.h. What another thread of the real
 * one could do between two of its steps, another thread can do here at the same place.
 *
 * It is true to what makes the real one hard to use:
 * - Whether a task is counted among its parent's children is asked when it is made and again when it ends; in a team of
 *   one thread the answer depends on what else is unfinished.
 * - In a team of one thread a task runs where it is submitted or released, on whichever thread that is.
 * - A proxy task is read once more after its entry has returned, a task that has detached after it has been let go.
 * - Completed from outside the team, a task is off its parent's count at once; its dependences are released, and its
 *   memory freed, by an entry in the queue of a thread of the team, in the set of queues of the time when it was made;
 *   the team changes sets at each barrier, and looks into no other.
 * - A thread looks for tasks at the tail of its own queue and at the head of another's, and further only if the team
 * has had untied tasks; tied tasks only below the tied task that waits.
 * - Lists of dependences are changed by who reads them. The locks of a mutexinoutset are taken where a task is taken
 * out of a queue, and nowhere else. Memory of a task that is freed is taken away at once: who touches it ends the run.
 *
 * Not there: nested teams, hidden helper threads, priorities, taskloop, tools, the end of threads.
 */
#ifndef NW_TEST_FAKE_LIBOMP_H
#define NW_TEST_FAKE_LIBOMP_H

#include "tasking/libomp.h"

#define FAKE_MAX_TEAM 4

/* In a run, first of all: the calling thread becomes the initial thread. */
void fake_libomp_begin(void);

/* In a run, last of all: ends the run as failed if something is left of any task. */
void fake_libomp_end(void);

/* OMP_CANCELLATION. Before the first task. */
void fake_libomp_allow_cancellation(void);

/* A parallel region of n threads, which all call body(its number, argument). The calling thread is the initial one. */
void fake_libomp_parallel(int n, void (*body)(int number, void *argument), void *argument);

/* The constructs that the runtime does not stand in front of, for the calling thread's current task. */
void fake_libomp_barrier(void);
void fake_libomp_cancel_taskgroup(void);

/*
 * The event of a task of the program's own, and whether the program may fulfil it: not while the task's thread is
 * leaving it, where libomp would read what it has freed. No program can know that, nor that the second half of the
 * completion may be left over when its team ends; for its own tasks the runtime has to take care of both.
 */
void *fake_libomp_event(nw_kmp_task_t *task);
bool fake_libomp_may_fulfill(const void *event);

/* The calling thread's number in libomp, which knows it from then on. */
int32_t fake_libomp_gtid(void);

#endif
