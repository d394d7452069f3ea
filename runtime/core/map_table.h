/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The mapping table of one device: which host bytes have a copy on the device, who counts on it, and which copies are
 * on their way out.
 *
 * Everything about a construct is decided in one hold of the table, in program order; what is physical (copying,
 * freeing) follows when its operation runs.
 *
 * The table is cut into shards by host address, each with a lock (core/map_hold.h); a construct holds those in which
 * its data lies, all at once. There is one shard at first: more are cut off where threads with data of their own meet.
 * No mapping, live or ending, lies in two shards.
 *
 * All functions need a hold of the addresses that they are given, unless they say otherwise. What belongs to a mapping
 * is guarded by the shard in which it lies.
 */
#ifndef NW_MAP_TABLE_H
#define NW_MAP_TABLE_H

#include <stdio.h>

#include "core/map_hold.h"
#include "core/map_shard.h"
#include "support/ident.h"

/* Threads: one, before use. No hold needed. */
void nw_map_table_init(nw_map_table_t *table, nw_device_t *device);

/* After fork, in the child: operations that were in flight in the parent never end here, so nobody waits for them. What
 * was mapped stays mapped. The table may have been held. */
void nw_map_table_after_fork(nw_map_table_t *table);

/* Frees what an empty table keeps. Threads: one, after use. */
void nw_map_table_destroy(nw_map_table_t *table);

/* Numbers a construct that is about to be decided: no other has the number, and of two that hold a shard in common the
 * later one's is greater. */
uint64_t nw_map_table_number_construct_in(nw_map_table_t *table, nw_map_hold_t hold);
static inline uint64_t nw_map_table_number_construct(nw_map_table_t *table, nw_map_hold_t hold)
{
    if (NW_LIKELY(hold == 1))
        return table->first.construct = (table->first.construct | (NW_MAP_SHARDS - 1)) + 1;
    return nw_map_table_number_construct_in(table, hold);
}

/*
 * Finds the live mapping that holds [host, host + size), or one that overlaps it (NW_PARTIAL). A range of size 0 is
 * present if it lies in a mapping. *mapping_p is set unless the answer is NW_ABSENT.
 */
nw_presence_t nw_map_table_lookup(nw_map_table_t *table, const char *host, size_t size, nw_mapping_t **mapping_p);

/* For an address that lies in no live mapping: the neighbour, before it or behind it, whose base lies beyond, so that
 * the address stands for the mapping too (OpenMP 5.1, pointer initialization: a section's base pointer). Or NULL. Needs
 * a hold of the whole table. */
nw_mapping_t *nw_map_table_find_by_base(nw_map_table_t *table, const char *host);

/* Makes a live mapping with fresh device memory, whose address agrees with the host's in its low six bits, and counts
 * of zero. NW_ERR_DEVICE_MEMORY or NW_ERR_NO_MEMORY if it can't. The range must be absent. */
nw_status_t nw_map_table_insert(nw_map_table_t *table, char *host, size_t size, const char *name,
                                nw_mapping_t **mapping_p) NW_MUST_CHECK;

/* As insert, for memory that host and device share: the device's address is the host's. NW_ERR_INVALID if the range
 * goes round the end of all addresses. */
nw_status_t nw_map_table_share(nw_map_table_t *table, char *host, size_t size, const char *name,
                               nw_mapping_t **mapping_p) NW_MUST_CHECK;

/* True if none of the live mappings that overlap the range has device memory of its own. */
bool nw_map_table_is_shared(nw_map_table_t *table, const char *host, size_t size);

/* As insert, for device memory that is not the table's to free; the mapping lives until nw_map_table_remove. `global`:
 * the name of what has static storage, or NULL for an association. */
nw_status_t nw_map_table_associate(nw_map_table_t *table, char *host, size_t size, char *device, const char *global,
                                   nw_mapping_t **mapping_p) NW_MUST_CHECK;

/* The mapping of exactly this range that is no longer live, but in use, and has the host's bytes; its newest one. Or
 * NULL. */
nw_mapping_t *nw_map_table_find_in_use(nw_map_table_t *table, const char *host, size_t size);

/* Take over what the above has found, whose range is absent, with counts of zero: a successor gets its memory, or it is
 * made live again. NW_ERR_NO_MEMORY if that can't be. */
static inline nw_status_t nw_map_table_succeed(nw_map_table_t *table, nw_mapping_t *old, const char *name,
                                               nw_mapping_t **mapping_p)
{
    return nw_map_shard_succeed(nw_map_shard_of(table, old->host), old, name, mapping_p);
}
static inline nw_status_t nw_map_table_revive(nw_map_table_t *table, nw_mapping_t *mapping)
{
    return nw_map_shard_revive(nw_map_shard_of(table, mapping->host), mapping);
}

/* Takes a mapping out of the live index; `ending`: puts it into the ending tree, its ender is set. */
static inline void nw_map_table_remove(nw_map_table_t *table, nw_mapping_t *mapping, bool ending)
{
    nw_map_shard_remove(nw_map_shard_of(table, mapping->host), mapping, ending);
}

/* Frees a removed mapping that nobody uses. */
static inline void nw_map_table_discard(nw_map_table_t *table, nw_mapping_t *mapping)
{
    nw_map_shard_discard(nw_map_shard_of(table, mapping->host), mapping);
}

/* Gives up one use. When the last use of a removed mapping goes, its memory is freed, or goes back to the predecessor.
 * Returns a mapping, this one or its successor, whose ender has been waiting for this and has one blocker less; or
 * NULL. */
nw_mapping_t *nw_map_table_unuse_removed(nw_map_table_t *table, nw_mapping_t *mapping);
static inline nw_mapping_t *nw_map_table_unuse(nw_map_table_t *table, nw_mapping_t *mapping)
{
    mapping->users--;
    return NW_UNLIKELY(!mapping->live) ? nw_map_table_unuse_removed(table, mapping) : NULL;
}

/* True if an ending mapping is in its tree so that others wait for its end; else it is there only to be found. */
static inline bool nw_mapping_is_awaited(const nw_mapping_t *mapping)
{
    return mapping->writes_host || mapping->is_pointee;
}

/* A section for an operation to keep until it is over; NULL when memory is out. Spare ones, kept where `host` lies, are
 * used again. */
static inline nw_section_t *nw_map_table_take_section(nw_map_table_t *table, const char *host)
{
    return nw_map_shard_take_section(nw_map_shard_of(table, host));
}
static inline void nw_map_table_put_section(nw_map_table_t *table, const char *host, nw_section_t *section)
{
    nw_map_shard_put_section(nw_map_shard_of(table, host), section);
}

/* True if mappings are ending where the address lies. */
static inline bool nw_map_table_has_endings(nw_map_table_t *table, const char *host)
{
    return nw_map_shard_of(table, host)->endings != 0;
}

/* Iterates over ending mappings that overlap [host, host + size), which lies in one mapping: pass NULL first, then the
 * last answer. */
static inline nw_mapping_t *nw_map_table_next_ending(nw_map_table_t *table, const char *host, size_t size,
                                                     nw_mapping_t *after)
{
    return nw_map_shard_next_ending(nw_map_shard_of(table, host), host, size, after);
}

/* Takes a mapping out of the ending tree: it is over, or a later one that waits for it covers it. */
static inline void nw_map_table_end(nw_map_table_t *table, nw_mapping_t *mapping)
{
    if (mapping->ending)
        nw_map_shard_end(nw_map_shard_of(table, mapping->host), mapping);
}

/* Records an attached pointer. Returns true if the device pointer has to be written, in *status_p whether memory
 * sufficed. */
bool nw_mapping_attach(nw_mapping_t *mapping, size_t offset, size_t size, uintptr_t value, nw_status_t *status_p);

/* Next run of bytes in [*offset, end) that holds no attached pointer; false if there is none. Advances *offset to the
 * run's begin and sets *length_p. Holds the mapping itself when there are attached pointers. */
bool nw_mapping_next_run(nw_map_table_t *table, nw_mapping_t *mapping, size_t *offset, size_t end, size_t *length_p);

/* Host bytes. */
typedef struct nw_map_range {
    char *host;
    size_t size;
} nw_map_range_t;

/* The ranges of all live mappings that constructs have made, for the caller to free; NULL if there are none, or if
 * memory is out. Holds the table itself. */
nw_map_range_t *nw_map_table_ranges(nw_map_table_t *table, size_t *n_p);

/* Counts in words, as LLVM prints them ("INF" for NW_FOREVER). */
const char *nw_count_text(uint64_t count, char buffer[24]);

/* Prints the live mappings in LLVM's form. Holds the table itself. */
void nw_map_table_dump(nw_map_table_t *table, const nw_ident_t *loc, int device_number, FILE *stream);

#endif
