/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/dependences.h"

#include <stdatomic.h>

#define BITS 12
#define PLACES ((1u << BITS) * 2 + 1)
/* Where a task that names omp_all_memory counts. The others: a place for writers of a bucket, and one for readers. */
#define ALL_MEMORY ((1u << BITS) * 2)

/* Tasks in flight that count in the place: regions, and threads that have made such host tasks. */
static _Atomic uint32_t in_flight[PLACES];

/*
 * The places of the host tasks that this thread has made: a bit each. What is waited for are the children of the task
 * that waits, and a thread runs tasks inside others' waits: so the bits belong to the task that made the first of them,
 * and once another's have joined them they stay.
 */
static _Thread_local struct {
    const void *parent; /* NULL: no bit is set */
    bool mixed;
    uint64_t words[(PLACES + 63) / 64];
} host;

static bool is_all_memory(const struct nowait_depend_info *dep)
{
    /* Both are in use (openmp/runtime/src/kmp_taskdeps.cpp). */
    return dep->base == -1 || dep->flags == NW_DEPEND_ALL_MEMORY;
}

static uint32_t place_of(const struct nowait_depend_info *dep)
{
    if (is_all_memory(dep))
        return ALL_MEMORY;
    uint32_t bucket = (uint32_t)(((uint64_t)dep->base * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - BITS));
    return bucket * 2 + (dep->flags == NW_DEPEND_IN);
}

/* Whether no task counts in the place. Acquire pairs with nw_dependences_leave: what those that left did is seen. */
static bool is_idle(uint32_t place)
{
    return atomic_load_explicit(&in_flight[place], memory_order_acquire) == 0;
}

bool nw_dependences_enter(nw_named_t *named, int32_t n, const struct nowait_depend_info *deps)
{
    named->n = 0;
    if (n > NW_MOST_NAMED) {
        /* Counts as if it named everything. */
        named->places[named->n++] = ALL_MEMORY;
        atomic_fetch_add_explicit(&in_flight[ALL_MEMORY], 1, memory_order_relaxed);
        return false;
    }
    bool ready = is_idle(ALL_MEMORY);
    for (int32_t i = 0; i < n; i++) {
        uint32_t place = place_of(&deps[i]);
        /* A reader depends on writers, a writer on both, and omp_all_memory on more than is looked up. */
        ready = ready && place != ALL_MEMORY && is_idle(place & ~1u) && (place % 2 == 1 || is_idle(place + 1));
        named->places[named->n++] = (uint16_t)place;
    }
    for (uint32_t i = 0; i < named->n; i++)
        atomic_fetch_add_explicit(&in_flight[named->places[i]], 1, memory_order_relaxed);
    return ready;
}

void nw_dependences_leave(const nw_named_t *named)
{
    for (uint32_t i = 0; i < named->n; i++)
        atomic_fetch_sub_explicit(&in_flight[named->places[i]], 1, memory_order_release);
}

void nw_dependences_note_host(const void *parent, int32_t n, const struct nowait_depend_info *deps)
{
    host.mixed |= !parent || (host.parent && host.parent != parent);
    host.parent = parent;
    for (int32_t i = 0; i < n; i++) {
        uint32_t place = place_of(&deps[i]);
        uint64_t bit = UINT64_C(1) << (place % 64);
        if (host.words[place / 64] & bit)
            continue;
        host.words[place / 64] |= bit;
        atomic_fetch_add_explicit(&in_flight[place], 1, memory_order_relaxed);
    }
}

void nw_dependences_waited(const void *parent)
{
    if (!host.parent || host.mixed || host.parent != parent)
        return;
    host.parent = NULL;
    for (uint32_t word = 0; word < sizeof host.words / sizeof *host.words; word++) {
        for (; host.words[word]; host.words[word] &= host.words[word] - 1) {
            uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(host.words[word]);
            atomic_fetch_sub_explicit(&in_flight[place], 1, memory_order_release);
        }
    }
}
