/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The copies of in_reduction's list items that a region works on.
 *
 * Each thread has a private copy of an item, which belongs to whichever of the reduction's tasks it runs. Clang asks
 * for it where a region's task begins, and does nothing with the answer: the region's map entries, which were made
 * before the task was, name the original. So regions of several threads, each on a device of its own or with data of
 * its own there, would all bring the same variable back. Here the entries are led to the copies.
 *
 * An item for which that can't be done (it begins in the middle of its entry, or the entry is larger than a copy
 * certainly is) stays the original; regions that have one run one at a time.
 */
#ifndef NW_REDUCTION_COPIES_H
#define NW_REDUCTION_COPIES_H

#include <stdbool.h>

#include "core/construct.h"
#include "tasking/libomp.h"

/* Around the entry of a task that may be a region's, on the thread that runs it. What was noted before is forgotten. */
void nw_reduction_entry_begins(const nw_kmp_task_t *task);
void nw_reduction_entry_ends(void);

/* libomp has given `copy` for the item at `original`: noted if the current task is the entry's. */
void nw_reduction_note(int32_t gtid, void *original, void *copy);

/* Whether the entry in progress has asked for a copy. */
bool nw_reduction_noted(void);

/*
 * Leads the region's entries to the copies that have been noted. Returns true if the region needs the original of one:
 * then it holds a lock, which the caller gives back when the region is over. Blocks: for other regions that do.
 * Caller: the thread that runs the region's task, which has to wait until the region is over.
 */
bool nw_reduction_redirect(int32_t gtid, const nw_map_args_t *args);
void nw_reduction_release(void);

#endif
