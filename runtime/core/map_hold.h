/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Holding a part of a device's mapping table: which shards there are, which addresses are whose, and their locks.
 *
 * A thread names all the ranges that it will look at or change, and holds the shards in which they lie, all at once
 * until it is done. Two holds with a shard in common are thus ordered, and so are all the constructs that find
 * something of each other's: as if each had held the whole table.
 *
 * The locks are taken in the order of the shards' numbers, which never changes; what does change is whose an address
 * is. That stands in the directory, which is read without a lock and changes only while the shards concerned are held:
 * if its version is still the same when a thread has got the locks, it has got the right ones, and keeps them.
 *
 * There is one shard until threads meet on it often whose data lies apart: then it is cut between their data. So
 * threads with data of their own come to hold shards of their own, and a program whose threads don't meet pays for one
 * lock. A mapping that would lie in two shards joins them; and where a shard is wanted and there can be no more,
 * neighbours are joined that have had no construct for a while.
 */
#ifndef NW_MAP_HOLD_H
#define NW_MAP_HOLD_H

#include "core/map_shard.h"
#include "support/log.h"

/* Most shards of a table; a hold has a bit for each. */
#define NW_MAP_SHARDS 64

/* Bit i: shard i is held. */
typedef uint64_t nw_map_hold_t;

/* Host ranges that a holder names: `next` gives the one at *cursor, which is 0 at first, and moves on; false: no more.
 * A range of size 0 stands for its address. */
typedef struct nw_map_ranges {
    bool (*next)(const void *of, uint32_t *cursor, const char **begin_p, size_t *size_p);
    const void *of;
    bool looks_only; /* meeting others there is no reason to cut the table */
} nw_map_ranges_t;

/* Whose addresses are whose: entry i has those from begin[i] to begin[i + 1], the last all the rest. */
typedef struct nw_map_directory {
    _Atomic uint32_t n;
    _Atomic uintptr_t begin[NW_MAP_SHARDS]; /* ascending, from 0 */
    _Atomic uint8_t owner[NW_MAP_SHARDS];   /* number of a shard */
} nw_map_directory_t;

typedef struct nw_map_table {
    nw_map_shard_t first;
    _Atomic bool alone;        /* there is only the first shard, and threads don't meet on it; guarded by its lock */
    _Atomic uint32_t n_shards; /* made so far */
    /* As map_hold.c has them; tests want less of each. */
    uint32_t conflicts_to_cut; /* in the time of so many constructs */
    uint32_t most_shards;
    int64_t idle_ns;           /* so long a shard has no construct until it may be joined with another idle one */
    nw_map_shard_t *shards[NW_MAP_SHARDS];
    pthread_mutex_t directory_lock; /* guards what follows; taken last, and only by those who change it */
    _Atomic uint32_t version;       /* of the directory; the lowest bit says which of the two is in force */
    nw_map_directory_t directories[2];
    uint64_t spare;     /* bit i: shard i has no addresses */
    int64_t last_sweep; /* for idle shards, in nanoseconds; see map_hold.c */
} nw_map_table_t;

/* Threads: one, before use. */
void nw_map_hold_init(nw_map_table_t *table, nw_device_t *device);

/* After fork, in the child. */
void nw_map_hold_after_fork(nw_map_table_t *table);

/* Frees the shards. Threads: one, after use. */
void nw_map_hold_destroy(nw_map_table_t *table);

/* The rest of the functions below, where there is more than one shard, or a lock is taken. */
nw_map_hold_t nw_map_hold_shards(nw_map_table_t *table, const nw_map_ranges_t *ranges);
nw_map_hold_t nw_map_hold_range_in(nw_map_table_t *table, const char *begin, size_t size, bool looks_only);
void nw_map_release_shards(nw_map_table_t *table, nw_map_hold_t hold);

/* Holds the first shard if that is all, and nobody has it. */
static inline bool nw_map_try_hold_first(nw_map_table_t *table)
{
    if (NW_UNLIKELY(!atomic_load_explicit(&table->alone, memory_order_relaxed)) ||
        NW_UNLIKELY(pthread_mutex_trylock(&table->first.lock) != 0))
        return false;
    if (NW_LIKELY(atomic_load_explicit(&table->alone, memory_order_relaxed)))
        return true;
    pthread_mutex_unlock(&table->first.lock);
    return false;
}

/* Holds the shards of all ranges; NULL: the whole table. The caller must hold none yet. Threads: any. Blocks: while
 * others hold one of them. */
static inline nw_map_hold_t nw_map_hold(nw_map_table_t *table, const nw_map_ranges_t *ranges)
{
    return NW_LIKELY(nw_map_try_hold_first(table)) ? 1 : nw_map_hold_shards(table, ranges);
}

/* Holds the shards of one range. */
static inline nw_map_hold_t nw_map_hold_range(nw_map_table_t *table, const char *begin, size_t size)
{
    return NW_LIKELY(nw_map_try_hold_first(table)) ? 1 : nw_map_hold_range_in(table, begin, size, false);
}

/* The same for the moment of a lookup. Threads that look at data which they share meet at any of its places, and
 * cutting there would use up the shards. */
static inline nw_map_hold_t nw_map_hold_to_look(nw_map_table_t *table, const char *begin)
{
    return NW_LIKELY(nw_map_try_hold_first(table)) ? 1 : nw_map_hold_range_in(table, begin, 1, true);
}

static inline void nw_map_release(nw_map_table_t *table, nw_map_hold_t hold)
{
    if (NW_LIKELY(hold == 1))
        pthread_mutex_unlock(&table->first.lock);
    else
        nw_map_release_shards(table, hold);
}

/* True if a hold is one of the whole table. */
static inline bool nw_map_holds_all(nw_map_table_t *table, nw_map_hold_t hold)
{
    uint32_t n = atomic_load_explicit(&table->n_shards, memory_order_relaxed);
    return hold == UINT64_MAX >> (NW_MAP_SHARDS - n);
}

/* The shard of an address, which the caller holds; *end_p is set to the end of its range, NULL if that is the last. */
nw_map_shard_t *nw_map_search_directory(nw_map_table_t *table, const char *host, const char **end_p);

/* As above, when there is more than one. */
nw_map_shard_t *nw_map_shard_among_many(nw_map_table_t *table, const char *host);

static inline nw_map_shard_t *nw_map_shard_of(nw_map_table_t *table, const char *host)
{
    if (NW_LIKELY(atomic_load_explicit(&table->n_shards, memory_order_relaxed) == 1))
        return &table->first;
    return nw_map_shard_among_many(table, host);
}

/* Sees that a range, no part of which is mapped, lies in one shard. Caller holds the range. */
void nw_map_join(nw_map_table_t *table, const char *begin, size_t size);

#endif
