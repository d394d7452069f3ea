/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling thread as a launcher of regions: what it has in flight, and how it waits for that. */
#ifndef NW_LAUNCHER_H
#define NW_LAUNCHER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A region of a thread is *free running* if it comes to its end, and sets off all that depends on it, without any help
 * by a thread of the program: only device threads touch it after its construct. A word counts those of each thread.
 */
typedef _Atomic uint32_t nw_free_running_t;

/* Counts a free running region of the calling thread; its end has to be told by nw_launcher_region_ends. */
nw_free_running_t *nw_launcher_region_begins(void);

/* One of a thread's free running regions is over, with all that libomp had to do for it. Threads: any. */
void nw_launcher_region_ends(nw_free_running_t *count);

/*
 * Whether the thread that sees a region finish may do all of its task's completion: release its dependences and free
 * it. Its memory belongs to the thread that made it, which therefore has to live as long as the process: the initial
 * one. What is released runs on the releasing thread, so that must be a region too (in a team of one, libomp runs a
 * host task where it is released), and all regions that it depends on must be released in that way too.
 */
bool nw_launcher_completes_in_place(bool has_deps);

/* Notes a task of another kind than a free running region, which the calling thread's waits have to run. */
void nw_launcher_note_other_task(void);

/* Whether the calling thread has made such tasks since it last waited for all. */
bool nw_launcher_has_other_tasks(void);

/* Whether free running regions of the calling thread are in flight. */
bool nw_launcher_regions_in_flight(void);

/* Notes that the calling thread hands a host task to libomp, which may be run later. */
void nw_launcher_note_host_task(void);

/*
 * Must be called before the calling thread hands libomp a task that is not a region in place and has dependences.
 * `for_good`: a host task, of which nothing more is heard; otherwise it has a pin, which ends by
 * nw_launcher_pin_ends. Blocks: where regions in place are in flight, which would run the task on a device's thread,
 * until they are over; with `for_good` that happens once.
 */
void nw_launcher_before_dependences(bool for_good);

/* Counts a pin of the calling thread that is made, and tells its end. Threads for the latter: any; see pin.h. */
_Atomic uint32_t *nw_launcher_pin_begins(void);
void nw_launcher_pin_ends(_Atomic uint32_t *count);

/*
 * Flags for a host task of the calling thread, from those that compiled code asks for.
 *
 * libomp counts a host task among its parent's children in a team of one thread only if the parent has unfinished
 * children when the task is made, and asks again when the task ends. A region that completes or begins in between makes
 * the two answers differ: taskwait then returns too early, or never. Detachable tasks are always counted, and the flag
 * changes nothing else as long as nobody asks for the task's event. A taskloop's tasks must not have it (libomp counts
 * them by a rule of its own; see nw_host_task_taskloop), so those with destructors, which can't be moved, go without.
 */
int32_t nw_launcher_host_flags(int32_t flags);

/* Notes that the calling thread makes a target task. */
void nw_launcher_note_target_task(void);

/*
 * Has to be called before the calling thread waits in libomp for its tasks. libomp polls; a thread that waits only for
 * free running regions sleeps here instead, as long as there is nothing else it could do: it is alone in its team, or
 * the program has no host tasks. Blocks: until those regions are over.
 */
void nw_launcher_before_wait(void);

/* After fork, in the child: the calling thread has launched nothing. */
void nw_launcher_after_fork(void);

#endif
