/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/stats.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/devices.h"
#include "nowait/nowait.h"
#include "support/export.h"

_Atomic uint64_t nw_stats_counters[NW_N_STATS];

static _Alignas(64) _Atomic uint64_t in_flight;
static _Alignas(64) _Atomic uint64_t max_in_flight;

/* Dispatch times: sixteen buckets to each power of two, which keeps the median right to 6 %. */
#define BUCKETS (64 * 16)
static _Atomic uint64_t dispatch_buckets[BUCKETS];
static _Atomic uint64_t dispatch_total, dispatch_max;

static void raise_to(_Atomic uint64_t *most, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(most, memory_order_relaxed);
    while (value > seen && !atomic_compare_exchange_weak_explicit(most, &seen, value, memory_order_relaxed,
                                                                  memory_order_relaxed))
        ;
}

void nw_stats_region_begins(void)
{
    uint64_t now = atomic_fetch_add_explicit(&in_flight, 1, memory_order_relaxed) + 1;
    if (!nw_settings.stats)
        return;
    atomic_fetch_add_explicit(&nw_stats_counters[NW_STAT_REGIONS], 1, memory_order_relaxed);
    raise_to(&max_in_flight, now);
}

void nw_stats_region_ends(void)
{
    /* Release pairs with the acquire in nw_stats_in_flight: who sees zero sees what the regions did. */
    atomic_fetch_sub_explicit(&in_flight, 1, memory_order_release);
}

uint64_t nw_stats_in_flight(void)
{
    return atomic_load_explicit(&in_flight, memory_order_acquire);
}

void nw_stats_forget_regions(void)
{
    atomic_store_explicit(&in_flight, 0, memory_order_relaxed);
}

static unsigned bucket_of(uint64_t ns)
{
    if (ns < 16)
        return (unsigned)ns;
    unsigned shift = 63u - (unsigned)__builtin_clzl(ns);
    return shift * 16 + (unsigned)((ns >> (shift - 4)) & 15);
}

static uint64_t bucket_value(unsigned bucket)
{
    unsigned shift = bucket / 16;
    return bucket < 16 ? bucket : ((uint64_t)16 + bucket % 16) << (shift - 4);
}

void nw_stats_dispatch(int64_t ns)
{
    uint64_t time = ns > 0 ? (uint64_t)ns : 0;
    atomic_fetch_add_explicit(&dispatch_buckets[bucket_of(time)], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&dispatch_total, time, memory_order_relaxed);
    raise_to(&dispatch_max, time);
}

static uint64_t dispatch_median(void)
{
    uint64_t n = 0, seen = 0;
    for (unsigned i = 0; i < BUCKETS; i++)
        n += atomic_load_explicit(&dispatch_buckets[i], memory_order_relaxed);
    for (unsigned i = 0; n && i < BUCKETS; i++) {
        seen += atomic_load_explicit(&dispatch_buckets[i], memory_order_relaxed);
        if (2 * seen >= n)
            return bucket_value(i);
    }
    return 0;
}

NW_EXPORT void nowait_stats_get(struct nowait_stats *stats_p)
{
    *stats_p = (struct nowait_stats){
        .regions = atomic_load(&nw_stats_counters[NW_STAT_REGIONS]),
        .in_flight = atomic_load(&in_flight),
        .max_in_flight = atomic_load(&max_in_flight),
        .dispatched_early = atomic_load(&nw_stats_counters[NW_STAT_DISPATCHED_EARLY]),
        .dispatched_by_libomp = atomic_load(&nw_stats_counters[NW_STAT_DISPATCHED_BY_LIBOMP]),
        .requeues = atomic_load(&nw_stats_counters[NW_STAT_REQUEUES]),
        .queries = atomic_load(&nw_stats_counters[NW_STAT_QUERIES]),
        .blocking_waits = atomic_load(&nw_stats_counters[NW_STAT_BLOCKING_WAITS]),
        .map_conflicts = atomic_load(&nw_stats_counters[NW_STAT_MAP_CONFLICTS]),
        .data_reused = atomic_load(&nw_stats_counters[NW_STAT_DATA_REUSED]),
        .dispatch_ns_median = dispatch_median(),
        .dispatch_ns_max = atomic_load(&dispatch_max),
        .dispatch_ns_total = atomic_load(&dispatch_total),
    };
    nw_devices_memory(&stats_p->device_bytes_live, &stats_p->device_bytes_peak);
}

void nw_stats_print(void)
{
    if (!nw_settings.stats)
        return;
    struct nowait_stats s;
    nowait_stats_get(&s);
    const struct figure {
        const char *key;
        uint64_t value;
    } figures[] = {
        {"regions", s.regions},
        {"in_flight", s.in_flight},
        {"max_in_flight", s.max_in_flight},
        {"dispatched_early", s.dispatched_early},
        {"dispatched_by_libomp", s.dispatched_by_libomp},
        {"requeues", s.requeues},
        {"queries", s.queries},
        {"blocking_waits", s.blocking_waits},
        {"map_conflicts", s.map_conflicts},
        {"data_reused", s.data_reused},
        {"dispatch_ns_median", s.dispatch_ns_median},
        {"dispatch_ns_max", s.dispatch_ns_max},
        {"dispatch_ns_total", s.dispatch_ns_total},
        {"device_bytes_live", s.device_bytes_live},
        {"device_bytes_peak", s.device_bytes_peak},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        fprintf(stderr, "nowait: %s %" PRIu64 "\n", figures[i].key, figures[i].value);
}
