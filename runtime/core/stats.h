/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Figures of the process (NOWAIT_STATS). Counting costs one test of a flag when it is off. */
#ifndef NW_STATS_H
#define NW_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "support/settings.h"

typedef enum nw_stat {
    NW_STAT_REGIONS,
    NW_STAT_DISPATCHED_EARLY,
    NW_STAT_DISPATCHED_BY_LIBOMP,
    NW_STAT_REQUEUES,
    NW_STAT_QUERIES,
    NW_STAT_BLOCKING_WAITS,
    NW_STAT_MAP_CONFLICTS,
    NW_STAT_DATA_REUSED,
    NW_N_STATS
} nw_stat_t;

extern _Atomic uint64_t nw_stats_counters[NW_N_STATS];

static inline void nw_stats_count(nw_stat_t stat)
{
    if (__builtin_expect(nw_settings.stats, 0))
        atomic_fetch_add_explicit(&nw_stats_counters[stat], 1, memory_order_relaxed);
}

/* Deferred regions in flight: always counted, since the end of the program waits for them. */
void nw_stats_region_begins(void);
void nw_stats_region_ends(void);
uint64_t nw_stats_in_flight(void);

/* After fork, in the child: the parent's regions are the parent's. */
void nw_stats_forget_regions(void);

/* Adds one dispatch that took `ns`. */
void nw_stats_dispatch(int64_t ns);

/* Prints every figure if NOWAIT_STATS asks for it. */
void nw_stats_print(void);

#endif
