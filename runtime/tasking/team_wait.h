/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How a thread waits in a team of several threads.
 *
 * It is one of those that run the team's tasks, and what ends regions of a team needs such a thread (relay.h). libomp's
 * taskwait looks for tasks without a pause: with more threads than processors, the one that has something to do waits
 * until all others have used up their time slices, at every step. Here a thread takes tasks like taskyield does, and
 * sleeps in between. It is woken when one of its own regions has come from its device, and looks around regularly,
 * since other threads make work without a word.
 */
#ifndef NW_TEAM_WAIT_H
#define NW_TEAM_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "support/ident.h"

/* Regions of a thread of a team that are not over. Opaque; it lives as long as its thread. */
typedef struct nw_team_regions nw_team_regions_t;

/* Counts a region that the calling thread makes as a child of `parent` (nw_libomp_current_task; NULL: not known), until
 * nw_team_region_ends. Both must come before its task is complete to libomp: until then its thread stays. */
nw_team_regions_t *nw_team_region_begins(const void *parent);

/* The region needs a thread of the team to go on: wakes the one that made it. Threads: any. Blocks: never. */
void nw_team_region_calls(nw_team_regions_t *regions);

/* Threads: any. Blocks: never. */
void nw_team_region_ends(nw_team_regions_t *regions);

/* Runs tasks, and sleeps, until the calling thread's regions are over, if all are children of the task `parent`, which
 * is about to wait for its children; otherwise returns at once. Blocks. */
void nw_team_wait_for_regions(nw_ident_t *loc, int32_t gtid, const void *parent);

/* The same where `parent` ends a taskgroup, if all have been made in it. Every taskgroup of the thread's has to be
 * told when it begins. */
void nw_team_taskgroup_begins(void);
void nw_team_wait_for_taskgroup(nw_ident_t *loc, int32_t gtid, const void *parent);

/* Runs tasks, and sleeps on `events`, until *word is `value`. Who makes it so, or makes work, adds to `events` and
 * wakes those who sleep there, whom *sleepers counts. Blocks. */
void nw_team_wait_until(nw_ident_t *loc, int32_t gtid, const _Atomic uint32_t *word, uint32_t value,
                        _Atomic uint32_t *events, _Atomic uint32_t *sleepers);

/* After fork, in the child: the calling thread has no regions in flight. */
void nw_team_wait_after_fork(void);

#endif
