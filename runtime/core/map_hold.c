/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/map_hold.h"

#include <stdlib.h>
#include <string.h>

#include "core/stats.h"
#include "support/clock.h"

/* A shard is cut when it was found taken so often in the time of so many constructs: where threads really hinder each
 * other. Each cut makes a construct dearer whose data lies on both sides. */
#define CONFLICTS_TO_CUT 16
#define CONFLICT_WINDOW 256

/* How long a shard has no construct until it counts as idle, in nanoseconds; and of two idle ones that are joined, how
 * many mappings the smaller has at most: they are moved while others wait. */
#define IDLE_NS 100000000
#define MOST_MOVED 1024

/* A directory for whoever changes it. */
typedef struct plain_directory {
    uint32_t n;
    uintptr_t begin[NW_MAP_SHARDS];
    uint8_t owner[NW_MAP_SHARDS];
} plain_directory_t;

/* --- the directory ------------------------------------------------------------------------------------------------ */

static const nw_map_directory_t *in_force(const nw_map_table_t *table, uint32_t version)
{
    return &table->directories[version & 1];
}

static uint32_t current_version(const nw_map_table_t *table)
{
    /* Acquire pairs with the release in write_directory. */
    return atomic_load_explicit(&table->version, memory_order_acquire);
}

/* Whether what has been read of the directory since `version` was current is one state of it. */
static bool is_current(const nw_map_table_t *table, uint32_t version)
{
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&table->version, memory_order_relaxed) == version;
}

static uintptr_t begin_of(const nw_map_directory_t *directory, uint32_t i)
{
    return atomic_load_explicit(&directory->begin[i], memory_order_relaxed);
}

static uint8_t owner_of(const nw_map_directory_t *directory, uint32_t i)
{
    return atomic_load_explicit(&directory->owner[i], memory_order_relaxed);
}

/* The entry that has the address. Answers something if the directory changes meanwhile. */
static uint32_t search(const nw_map_directory_t *directory, uintptr_t address)
{
    uint32_t low = 0, high = atomic_load_explicit(&directory->n, memory_order_relaxed);
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (begin_of(directory, middle) <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where entry i ends; 0: nowhere. */
static uintptr_t end_of(const nw_map_directory_t *directory, uint32_t i)
{
    return i + 1 < atomic_load_explicit(&directory->n, memory_order_relaxed) ? begin_of(directory, i + 1) : 0;
}

nw_map_shard_t *nw_map_search_directory(nw_map_table_t *table, const char *host, const char **end_p)
{
    uint32_t version, i;
    uintptr_t end;
    uint8_t owner;
    do {
        version = current_version(table);
        const nw_map_directory_t *directory = in_force(table, version);
        i = search(directory, (uintptr_t)host);
        owner = owner_of(directory, i);
        end = end_of(directory, i);
    } while (!is_current(table, version));
    *end_p = (const char *)end;
    return table->shards[owner];
}

nw_map_shard_t *nw_map_shard_among_many(nw_map_table_t *table, const char *host)
{
    const char *end;
    return nw_map_search_directory(table, host, &end);
}

/* The following need the directory's lock. */

static void read_directory(const nw_map_table_t *table, plain_directory_t *plain)
{
    const nw_map_directory_t *directory = in_force(table, current_version(table));
    plain->n = atomic_load_explicit(&directory->n, memory_order_relaxed);
    for (uint32_t i = 0; i < plain->n; i++) {
        plain->begin[i] = begin_of(directory, i);
        plain->owner[i] = owner_of(directory, i);
    }
}

/* Writes the directory that is not in force, and puts it in force. So one of them is whole at any moment, for a child
 * that is forked then, too. */
static void write_directory(nw_map_table_t *table, const plain_directory_t *plain)
{
    uint32_t version = current_version(table);
    nw_map_directory_t *directory = &table->directories[(version + 1) & 1];
    /* Who still reads this one from the time before the last change must not take a part of it for the whole: it sees
     * the version that is current now, if it sees any of what is written here. */
    atomic_thread_fence(memory_order_release);
    for (uint32_t i = 0; i < plain->n; i++) {
        atomic_store_explicit(&directory->begin[i], plain->begin[i], memory_order_relaxed);
        atomic_store_explicit(&directory->owner[i], plain->owner[i], memory_order_relaxed);
    }
    atomic_store_explicit(&directory->n, plain->n, memory_order_relaxed);
    atomic_store_explicit(&table->version, version + 1, memory_order_release);
}

static uint32_t search_plain(const plain_directory_t *plain, const char *host)
{
    uint32_t i = plain->n - 1;
    while (plain->begin[i] > (uintptr_t)host)
        i--;
    return i;
}

static void insert_entry(plain_directory_t *plain, uint32_t i, uintptr_t begin, uint8_t owner)
{
    memmove(&plain->begin[i + 1], &plain->begin[i], (plain->n - i) * sizeof plain->begin[0]);
    memmove(&plain->owner[i + 1], &plain->owner[i], (plain->n - i) * sizeof plain->owner[0]);
    plain->begin[i] = begin;
    plain->owner[i] = owner;
    plain->n++;
}

/* The entry before gets the addresses, or, of the first, the one behind. */
static void remove_entry(plain_directory_t *plain, uint32_t i)
{
    plain->n--;
    memmove(&plain->begin[i], &plain->begin[i + 1], (plain->n - i) * sizeof plain->begin[0]);
    memmove(&plain->owner[i], &plain->owner[i + 1], (plain->n - i) * sizeof plain->owner[0]);
    plain->begin[0] = 0;
}

/* --- locks -------------------------------------------------------------------------------------------------------- */

static nw_map_hold_t all_shards(const nw_map_table_t *table)
{
    return UINT64_MAX >> (NW_MAP_SHARDS - atomic_load_explicit(&table->n_shards, memory_order_acquire));
}

/* The shards of a range. */
static nw_map_hold_t shards_of(const nw_map_directory_t *directory, const char *begin, size_t size)
{
    uintptr_t at = (uintptr_t)begin, last = size > 0 ? at + (size - 1) : at;
    uint32_t i = search(directory, at), n = atomic_load_explicit(&directory->n, memory_order_relaxed);
    nw_map_hold_t hold = UINT64_C(1) << owner_of(directory, i);
    if (last < at)
        last = UINTPTR_MAX;
    while (++i < n && begin_of(directory, i) <= last)
        hold |= UINT64_C(1) << owner_of(directory, i);
    return hold;
}

static nw_map_hold_t needed(const nw_map_table_t *table, uint32_t version, const nw_map_ranges_t *ranges)
{
    nw_map_hold_t hold = 0, all = all_shards(table);
    const char *begin;
    size_t size;
    if (all == 1 || !ranges)
        return all;
    for (uint32_t cursor = 0; ranges->next(ranges->of, &cursor, &begin, &size);)
        hold |= shards_of(in_force(table, version), begin, size);
    return hold;
}

/* Takes the locks in order. Returns those that others had. */
static nw_map_hold_t lock_shards(nw_map_table_t *table, nw_map_hold_t hold)
{
    nw_map_hold_t conflicts = 0;
    for (nw_map_hold_t left = hold; left; left &= left - 1) {
        nw_map_shard_t *shard = table->shards[__builtin_ctzll(left)];
        if (pthread_mutex_trylock(&shard->lock) == 0)
            continue;
        conflicts |= left & -left;
        nw_stats_count(NW_STAT_MAP_CONFLICTS);
        pthread_mutex_lock(&shard->lock);
    }
    return conflicts;
}

void nw_map_release_shards(nw_map_table_t *table, nw_map_hold_t hold)
{
    for (; hold; hold &= hold - 1)
        pthread_mutex_unlock(&table->shards[__builtin_ctzll(hold)]->lock);
}

/* --- cutting a shard ---------------------------------------------------------------------------------------------- */

/* The address of (below, above] that has the most zeros at its end: likely to be a border that other data keeps to. */
static const char *border(const char *below, const char *above)
{
    uintptr_t differ = (uintptr_t)below ^ (uintptr_t)above, last = (uintptr_t)above;
    return (const char *)(last & ~(((uintptr_t)1 << (63 - __builtin_clzl(differ))) - 1));
}

/* Where to cut between a range and that of the holder before; NULL: they touch, or one is not known. */
static const char *between(const nw_map_shard_t *shard, const char *begin, const char *end)
{
    if (!shard->last_begin || !begin)
        return NULL;
    if (shard->last_end <= begin)
        return border(shard->last_end - 1, begin);
    return end <= shard->last_begin ? border(end - 1, shard->last_begin) : NULL;
}

/* A new shard, whose lock the caller gets; -1 if memory is out. */
static int make_shard(nw_map_table_t *table)
{
    uint32_t n = atomic_load_explicit(&table->n_shards, memory_order_relaxed);
    nw_map_shard_t *shard = aligned_alloc(64, (sizeof *shard + 63) / 64 * 64);
    if (!shard)
        return -1;
    nw_map_shard_init(shard, table->first.device);
    /* Nobody else knows it yet. */
    NW_ASSERT_ALWAYS(pthread_mutex_trylock(&shard->lock) == 0);
    table->shards[n] = shard;
    /* Release pairs with the acquire in all_shards. */
    atomic_store_explicit(&table->n_shards, n + 1, memory_order_release);
    return (int)n;
}

/* A shard that may be joined with the one behind it. */
typedef struct candidate {
    nw_map_shard_t *shard; /* NULL: none */
    bool is_ours;          /* the caller of nw_map_hold holds it, and keeps it */
    bool is_empty;
    bool is_idle;          /* it has had no construct since the last sweep */
} candidate_t;

static void let_go(const candidate_t *candidate)
{
    if (candidate->shard && !candidate->is_ours)
        pthread_mutex_unlock(&candidate->shard->lock);
}

/* Locks a shard unless somebody has it. */
static candidate_t try_candidate(nw_map_table_t *table, uint8_t number, nw_map_hold_t hold, bool sweeps)
{
    nw_map_shard_t *shard = table->shards[number];
    candidate_t candidate = {.is_ours = hold >> number & 1};
    if (!candidate.is_ours && pthread_mutex_trylock(&shard->lock) != 0)
        return candidate;
    candidate.shard = shard;
    candidate.is_empty = nw_map_shard_is_empty(shard);
    if (sweeps) {
        candidate.is_idle = shard->construct_at_sweep == shard->construct;
        shard->construct_at_sweep = shard->construct;
    }
    return candidate;
}

static bool may_join(const candidate_t *lower, const candidate_t *upper)
{
    if (!lower->shard || !upper->shard || (lower->is_ours && upper->is_ours))
        return false;
    bool costs_nothing = (lower->is_empty && !lower->is_ours) || (upper->is_empty && !upper->is_ours);
    bool costs_little = lower->shard->n_live <= MOST_MOVED || upper->shard->n_live <= MOST_MOVED;
    return costs_nothing || (lower->is_idle && upper->is_idle && costs_little);
}

/* Joins the shard of entry i with the one before. Returns the one that is left over, locked; *joined_p: the other, if
 * it has to be unlocked. */
static int join_with_lower(plain_directory_t *plain, uint32_t i, const candidate_t *lower, const candidate_t *upper,
                           nw_map_shard_t **joined_p)
{
    bool upper_goes = lower->is_ours || (!upper->is_ours && upper->shard->n_live <= lower->shard->n_live);
    const candidate_t *from = upper_goes ? upper : lower, *to = upper_goes ? lower : upper;
    int left_over = plain->owner[upper_goes ? i : i - 1];
    nw_map_shard_move(from->shard, to->shard, NULL, NULL);
    plain->owner[i - 1] = plain->owner[upper_goes ? i - 1 : i];
    remove_entry(plain, i);
    *joined_p = to->is_ours ? NULL : to->shard;
    return left_over;
}

/* Joins two neighbours of which one is empty, or neither has had a construct for a while; see take_shard. The table has
 * all its shards, but where threads met in the past need not be where they meet now. */
static int free_shard(nw_map_table_t *table, plain_directory_t *plain, nw_map_hold_t hold, nw_map_shard_t **joined_p)
{
    int64_t now = nw_clock_ns();
    bool sweeps = now - table->last_sweep >= table->idle_ns;
    if (sweeps)
        table->last_sweep = now;
    candidate_t lower = {0}, upper;
    for (uint32_t i = 0; i < plain->n; i++, lower = upper) {
        upper = try_candidate(table, plain->owner[i], hold, sweeps);
        if (may_join(&lower, &upper))
            return join_with_lower(plain, i, &lower, &upper, joined_p);
        let_go(&lower);
    }
    let_go(&lower);
    return -1;
}

/* A shard without addresses, whose lock the caller gets; -1 if there is none. Waits for no lock: it may be one of lower
 * number than those of the hold. *joined_p: if not NULL, a shard to unlock when the directory is in force. Needs the
 * directory's lock. */
static int take_shard(nw_map_table_t *table, plain_directory_t *plain, nw_map_hold_t hold, nw_map_shard_t **joined_p)
{
    for (uint64_t left = table->spare & ~hold; left; left &= left - 1) {
        int number = __builtin_ctzll(left);
        if (pthread_mutex_trylock(&table->shards[number]->lock) != 0)
            continue;
        table->spare &= ~(UINT64_C(1) << number);
        return number;
    }
    if (atomic_load_explicit(&table->n_shards, memory_order_relaxed) < table->most_shards)
        return make_shard(table);
    return free_shard(table, plain, hold, joined_p);
}

/* Cuts a shard in two at an address inside its range. Returns the hold, with the new shard. */
static nw_map_hold_t cut(nw_map_table_t *table, uint8_t number, const char *at, nw_map_hold_t hold)
{
    nw_map_shard_t *shard = table->shards[number];
    plain_directory_t plain;
    pthread_mutex_lock(&table->directory_lock);
    read_directory(table, &plain);
    nw_map_shard_t *joined = NULL;
    int fresh_number = take_shard(table, &plain, hold, &joined);
    if (fresh_number >= 0) {
        nw_map_shard_t *fresh = table->shards[fresh_number];
        uint32_t i = search_plain(&plain, at);
        hold |= UINT64_C(1) << fresh_number;
        fresh->conflicts = 0;
        fresh->construct_at_sweep = UINT64_MAX;
        if (nw_map_shard_leans_up(shard, at)) {
            nw_map_shard_move(shard, fresh, NULL, at);
            plain.owner[i] = (uint8_t)fresh_number;
            insert_entry(&plain, i + 1, (uintptr_t)at, number);
        } else {
            nw_map_shard_move(shard, fresh, at, NULL);
            insert_entry(&plain, i + 1, (uintptr_t)at, (uint8_t)fresh_number);
        }
        write_directory(table, &plain);
        if (joined)
            pthread_mutex_unlock(&joined->lock);
        /* The first shard must not be held by those who have not looked into the directory. */
        atomic_store_explicit(&table->alone, false, memory_order_relaxed);
    }
    pthread_mutex_unlock(&table->directory_lock);
    return hold;
}

/* The caller, whose data lies in [begin, end), has had to wait for a shard: cuts it if that happens often. */
static nw_map_hold_t conflict(nw_map_table_t *table, uint8_t number, const char *begin, const char *end,
                              nw_map_hold_t hold)
{
    nw_map_shard_t *shard = table->shards[number];
    if (shard->conflicts == 0) {
        shard->last_begin = NULL;
        shard->conflicts_since = shard->construct;
    }
    if (++shard->conflicts < table->conflicts_to_cut)
        return hold;
    /* It begins anew, with the word that others leave meanwhile. */
    shard->conflicts = 1;
    const char *at = between(shard, begin, end), *unused;
    /* The holder before may have had its data in a part that has been cut off since. */
    if (!at || nw_map_search_directory(table, at, &unused) != shard ||
        nw_map_search_directory(table, at - 1, &unused) != shard || nw_map_shard_crosses(shard, at))
        return hold;
    return cut(table, number, at, hold);
}

/* Whether somebody has met on one of the shards of late. */
static bool are_met_on(const nw_map_table_t *table, nw_map_hold_t hold)
{
    bool met = false;
    for (; hold; hold &= hold - 1) {
        nw_map_shard_t *shard = table->shards[__builtin_ctzll(hold)];
        if (NW_LIKELY(shard->conflicts == 0))
            continue;
        if (shard->construct - shard->conflicts_since > CONFLICT_WINDOW * NW_MAP_SHARDS)
            shard->conflicts = 0;
        else
            met = true;
    }
    return met;
}

/* Leaves word of who holds the shards, and sees to those that were taken. */
static __attribute__((noinline)) nw_map_hold_t note(nw_map_table_t *table, nw_map_hold_t hold, nw_map_hold_t conflicts,
                                                    const nw_map_ranges_t *ranges)
{
    const char *begin;
    size_t size;
    bool single = atomic_load_explicit(&table->n_shards, memory_order_relaxed) == 1;
    for (uint32_t cursor = 0; ranges->next(ranges->of, &cursor, &begin, &size);) {
        uint32_t version = current_version(table);
        const nw_map_directory_t *directory = in_force(table, version);
        uint8_t number = owner_of(directory, search(directory, (uintptr_t)begin));
        /* If the directory has changed since, it is another shard: there is no need to be exact. */
        if (!is_current(table, version) || !(hold >> number & 1))
            continue;
        const char *end = begin + (size > 0 && size < UINTPTR_MAX - (uintptr_t)begin ? size : 1);
        if (conflicts >> number & 1) {
            conflicts &= ~(UINT64_C(1) << number);
            hold = conflict(table, number, begin, end, hold);
        }
        table->shards[number]->last_begin = begin;
        table->shards[number]->last_end = end;
        /* One is enough to tell two threads with data of their own. */
        if (single)
            break;
    }
    return hold;
}

nw_map_hold_t nw_map_hold_shards(nw_map_table_t *table, const nw_map_ranges_t *ranges)
{
    nw_map_hold_t hold, conflicts;
    for (;;) {
        uint32_t version = current_version(table);
        hold = needed(table, version, ranges);
        if (!is_current(table, version))
            continue;
        conflicts = lock_shards(table, hold);
        if (is_current(table, version))
            break;
        nw_map_release_shards(table, hold);
    }
    bool met = conflicts || are_met_on(table, hold);
    /* The first shard goes the short way while nobody meets there. */
    if (atomic_load_explicit(&table->n_shards, memory_order_relaxed) == 1)
        atomic_store_explicit(&table->alone, !met, memory_order_relaxed);
    return met && ranges && !ranges->looks_only ? note(table, hold, conflicts, ranges) : hold;
}

typedef struct range {
    const char *begin;
    size_t size;
} range_t;

static bool next_of_one(const void *of, uint32_t *cursor, const char **begin_p, size_t *size_p)
{
    const range_t *range = of;
    *begin_p = range->begin;
    *size_p = range->size;
    return (*cursor)++ == 0;
}

nw_map_hold_t nw_map_hold_range_in(nw_map_table_t *table, const char *begin, size_t size, bool looks_only)
{
    range_t range = {begin, size};
    return nw_map_hold_shards(table, &(nw_map_ranges_t){next_of_one, &range, looks_only});
}

/* --- joining shards ----------------------------------------------------------------------------------------------- */

/* Gives shard `to` all of entry i, which lies behind it, or what of it begins before `end` if that cuts nothing. */
static void give(nw_map_table_t *table, plain_directory_t *plain, nw_map_shard_t *to, uint32_t i, const char *end)
{
    nw_map_shard_t *from = table->shards[plain->owner[i]];
    bool is_whole = i + 1 < plain->n && plain->begin[i + 1] <= (uintptr_t)end;
    if (!is_whole && !nw_map_shard_crosses(from, end)) {
        nw_map_shard_move(from, to, NULL, end);
        plain->begin[i] = (uintptr_t)end;
        return;
    }
    nw_map_shard_move(from, to, NULL, NULL);
    table->spare |= UINT64_C(1) << plain->owner[i];
    remove_entry(plain, i);
}

void nw_map_join(nw_map_table_t *table, const char *begin, size_t size)
{
    /* Who inserts a range that goes round the end of all addresses refuses it. */
    if (size > UINTPTR_MAX - (uintptr_t)begin)
        return;
    const char *end = begin + size, *shard_end;
    plain_directory_t plain;
    nw_map_shard_t *to = nw_map_search_directory(table, begin, &shard_end);
    if (size == 0 || !shard_end || shard_end >= end)
        return;
    pthread_mutex_lock(&table->directory_lock);
    read_directory(table, &plain);
    uint32_t i = search_plain(&plain, begin) + 1;
    while (i < plain.n && plain.begin[i] < (uintptr_t)end)
        give(table, &plain, to, i, end);
    write_directory(table, &plain);
    pthread_mutex_unlock(&table->directory_lock);
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

void nw_map_hold_init(nw_map_table_t *table, nw_device_t *device)
{
    memset(table, 0, sizeof *table);
    nw_map_shard_init(&table->first, device);
    table->shards[0] = &table->first;
    table->conflicts_to_cut = CONFLICTS_TO_CUT;
    table->idle_ns = IDLE_NS;
    table->most_shards = NW_MAP_SHARDS;
    pthread_mutex_init(&table->directory_lock, NULL);
    atomic_init(&table->n_shards, 1);
    atomic_init(&table->directories[0].n, 1);
    atomic_init(&table->alone, true);
}

void nw_map_hold_after_fork(nw_map_table_t *table)
{
    pthread_mutex_init(&table->directory_lock, NULL);
    for (uint32_t i = 0; i < atomic_load_explicit(&table->n_shards, memory_order_relaxed); i++)
        nw_map_shard_after_fork(table->shards[i]);
}

void nw_map_hold_destroy(nw_map_table_t *table)
{
    uint32_t n = atomic_load_explicit(&table->n_shards, memory_order_relaxed);
    for (uint32_t i = 0; i < n; i++)
        nw_map_shard_free_spare(table->shards[i]);
    for (uint32_t i = n; i-- > 0;) {
        nw_map_shard_destroy(table->shards[i]);
        if (i > 0)
            free(table->shards[i]);
    }
    pthread_mutex_destroy(&table->directory_lock);
}
