/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/dependences.h"

#include <stdatomic.h>

#define BITS 12
#define PLACES ((1u << BITS) * 2 + 1)
/* Where a task that names omp_all_memory counts. The others: a place for writers of a bucket, and one for readers. */
#define ALL_MEMORY ((1u << BITS) * 2)

/* Tasks in flight that count in the place: regions, and threads that have made such host tasks. */
static _Atomic uint32_t in_flight[PLACES];

/* Places of host tasks that a thread remembers; with more it counts as if they named everything. */
#define MOST_HOST_PLACES 64

/*
 * The places of the host tasks that this thread has made. What is waited for are the children of the task that waits,
 * and a thread runs tasks inside others' waits: so the places belong to the task that made the first of them, and once
 * another's have joined them they stay.
 */
static _Thread_local struct {
    const void *parent; /* NULL: there are none */
    bool mixed;
    uint16_t n;
    uint16_t places[MOST_HOST_PLACES + 1]; /* the last one for ALL_MEMORY */
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

static void remember(uint32_t place)
{
    for (uint32_t i = 0; i < host.n; i++) {
        if (host.places[i] == place)
            return;
    }
    host.places[host.n++] = (uint16_t)place;
    atomic_fetch_add_explicit(&in_flight[place], 1, memory_order_relaxed);
}

void nw_dependences_note_host(const void *parent, int32_t n, const struct nowait_depend_info *deps)
{
    host.mixed |= !parent || (host.parent && host.parent != parent);
    host.parent = parent;
    for (int32_t i = 0; i < n && host.n <= MOST_HOST_PLACES; i++)
        remember(host.n < MOST_HOST_PLACES ? place_of(&deps[i]) : ALL_MEMORY);
}

static void forget(void)
{
    host.parent = NULL;
    host.mixed = false;
    while (host.n > 0)
        atomic_fetch_sub_explicit(&in_flight[host.places[--host.n]], 1, memory_order_release);
}

void nw_dependences_waited(const void *parent)
{
    if (host.parent && !host.mixed && host.parent == parent)
        forget();
}

void nw_dependences_thread_ends(void)
{
    forget();
}
