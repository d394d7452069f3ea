/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loop trip counts of older compilers (LLVM 14 and before), which pass them by a call in front of the region. */
#ifndef NW_TRIP_COUNT_H
#define NW_TRIP_COUNT_H

#include <stdint.h>

/* Keeps the trip count for the calling thread's next region on this device; see nw_policy_device for numbers. */
void nw_trip_count_push(int64_t device, uint64_t trip_count);

/* Returns what the calling thread has pushed for a region on this device, and forgets it; 0: nothing. */
uint64_t nw_trip_count_take(int64_t device);

#endif
