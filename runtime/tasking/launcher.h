/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling thread as a launcher of regions: what it has in flight, and how it waits for that. */
#ifndef NW_LAUNCHER_H
#define NW_LAUNCHER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What a thread has in flight. Opaque; it lives as long as its thread, and as long as it counts anything. */
typedef struct nw_launcher nw_launcher_t;

/*
 * A region of a thread is *free running* if it comes to its end without any help by a thread of the program: only
 * device threads touch it after its construct, or at most libomp has to be asked once more after its end. This counts
 * one of the calling thread's; its end has to be told by nw_launcher_region_ends. `parent`: the task that makes it
 * (nw_libomp_current_task); NULL: not known.
 */
nw_launcher_t *nw_launcher_region_begins(const void *parent);

/* A free running region is over, with all that libomp had to do for it. Threads: any. */
void nw_launcher_region_ends(nw_launcher_t *launcher);

/*
 * Whether the thread that sees a region finish may do all of its task's completion, and free it. libomp keeps what one
 * thread frees of another's memory (th_free_list_other), so that one has to live as long as the process: the initial
 * thread.
 */
bool nw_launcher_completes_in_place(void);

/* Notes a task of another kind than a free running region, which the calling thread's waits have to run. */
void nw_launcher_note_other_task(void);

/* Where those of a launcher's regions count that are on their devices: device.h, nw_work_t. NULL for NULL. */
_Atomic uint32_t *nw_launcher_on_device(nw_launcher_t *launcher);

/* If all that a task of the calling thread's with dependences may still have to wait for is on devices, where foreign
 * tasks can follow it: where it counts. Otherwise NULL. */
_Atomic uint32_t *nw_launcher_all_on_device(void);

/* Notes that the calling thread hands a host task to libomp, which may be run later. */
void nw_launcher_note_host_task(void);

/* Counts a pin of the calling thread that is made, and tells its end. Threads for the latter: any; see pin.h. */
_Atomic uint32_t *nw_launcher_pin_begins(void);
void nw_launcher_pin_ends(_Atomic uint32_t *count);

/*
 * Flags for a host task of the calling thread, from those that compiled code asks for.
 *
 * libomp counts a host task among its parent's children in a team of one thread only if the parent has unfinished
 * children when the task is made, and asks again when the task ends. A region, or a detached task, that completes or
 * begins in between makes the two answers differ: taskwait then returns too early, or never. And a parent is freed
 * before a child that was not counted, even if that still has a region of its own in flight. Detachable tasks are
 * always counted, and the flag changes nothing else as long as nobody asks for the task's event, but that their parent
 * is never freed (see nw_host_task). A taskloop's tasks must not have it (libomp counts them by a rule of its own; see
 * nw_host_task_taskloop), so those with destructors, which can't be moved, go without.
 */
int32_t nw_launcher_host_flags(int32_t flags);

/* Notes that the calling thread makes a target task. */
void nw_launcher_note_target_task(void);

/*
 * Has to be called before the task `parent`, which runs on the calling thread, waits in libomp for its children. libomp
 * polls; a thread whose task waits only for free running regions sleeps here instead, as long as there is nothing else
 * it could do: it is alone in its team, or the program has no host tasks. Blocks: until those regions are over.
 */
void nw_launcher_before_wait(const void *parent);

/*
 * Waits, at the calling thread's end, until all that it has launched is over, with all that libomp has to do for it.
 * `helps`: it may run tasks meanwhile; otherwise libomp has seen to those. Blocks.
 */
void nw_launcher_finish(bool helps);

/* After fork, in the child: the calling thread has launched nothing. */
void nw_launcher_after_fork(void);

#endif
