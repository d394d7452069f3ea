/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How many threads a region on a CPU device may use.
 *
 * A device's thread that runs a region has its share of the threads that the program may use, or every region that is
 * running would form teams as if it were alone: many small ones in many regions at once then wait for processors most
 * of the time. (Stock runs deferred regions in tasks of a team, where inner teams have one thread.)
 */
#ifndef NW_REGION_SHARE_H
#define NW_REGION_SHARE_H

#include <stdint.h>

/* Gives the calling thread, a device's, its share for the region that it is about to run. n_running: regions that
 * run, or are about to, on all of the devices' threads; at least 1. */
void nw_region_share_take(int32_t n_running);

/*
 * A teams construct with clauses begins: returns the threads that each of its teams may have, where the program asks
 * for `thread_limit` (0: no such clause). The number of teams stays what the program says. Threads: any, also those
 * that are no device's.
 */
int32_t nw_region_share_of_team(int32_t num_teams, int32_t thread_limit);

#endif
