/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/map_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/info.h"

void nw_map_table_init(nw_map_table_t *table, nw_device_t *device)
{
    nw_map_hold_init(table, device);
}

void nw_map_table_after_fork(nw_map_table_t *table)
{
    nw_map_hold_after_fork(table);
}

void nw_map_table_destroy(nw_map_table_t *table)
{
    nw_map_hold_destroy(table);
}

uint64_t nw_map_table_number_construct_in(nw_map_table_t *table, nw_map_hold_t hold)
{
    uint64_t latest = 0;
    if (hold == 0)
        return 0; /* it concerns no mapping */
    for (nw_map_hold_t left = hold; left; left &= left - 1) {
        uint64_t construct = table->shards[__builtin_ctzll(left)]->construct;
        latest = construct > latest ? construct : latest;
    }
    /* A time of its own among those that share a shard with it; of those at the same time, which share none, its lowest
     * shard tells it. */
    uint64_t number = (latest / NW_MAP_SHARDS + 1) * NW_MAP_SHARDS + (unsigned)__builtin_ctzll(hold);
    for (nw_map_hold_t left = hold; left; left &= left - 1)
        table->shards[__builtin_ctzll(left)]->construct = number;
    return number;
}

/* For a range whose first byte is not mapped: a live mapping that it reaches in a later shard, or NULL. */
static nw_mapping_t *first_behind(nw_map_table_t *table, const char *host, size_t size)
{
    const char *end;
    (void)nw_map_search_directory(table, host, &end);
    while (end && (size_t)(end - host) < size) {
        nw_mapping_t *mapping = nw_map_shard_next(nw_map_search_directory(table, end, &end), NULL);
        if (mapping)
            return (size_t)(mapping->host - host) < size ? mapping : NULL;
    }
    return NULL;
}

static __attribute__((noinline)) nw_presence_t search(nw_map_table_t *table, const char *host, size_t size,
                                                      nw_mapping_t **mapping_p)
{
    nw_mapping_t *above = NULL, *found = nw_map_shard_search(nw_map_shard_of(table, host), host, &above);
    if (found) {
        *mapping_p = found;
        return size <= (size_t)(found->host_end - host) ? NW_PRESENT : NW_PARTIAL;
    }
    if (!above && atomic_load_explicit(&table->n_shards, memory_order_relaxed) > 1)
        above = first_behind(table, host, size);
    if (!above || size <= (size_t)(above->host - host))
        return NW_ABSENT;
    *mapping_p = above;
    return NW_PARTIAL;
}

nw_presence_t nw_map_table_lookup(nw_map_table_t *table, const char *host, size_t size, nw_mapping_t **mapping_p)
{
    nw_mapping_t *hint = *nw_map_shard_hint(nw_map_shard_of(table, host), host);
    /* Live mappings share no byte, so one that holds the byte is the one. */
    if (NW_UNLIKELY(!hint || !hint->live || host < hint->host || host >= hint->host_end))
        return search(table, host, size, mapping_p);
    *mapping_p = hint;
    return size <= (size_t)(hint->host_end - host) ? NW_PRESENT : NW_PARTIAL;
}

/* The live mappings next to an address. */
static void find_neighbours(nw_map_table_t *table, const char *host, nw_mapping_t **below_p, nw_mapping_t **above_p)
{
    const char *end = NULL;
    *below_p = *above_p = NULL;
    do {
        nw_mapping_t *above, *below = nw_map_shard_floor(nw_map_search_directory(table, end, &end), host, &above);
        if (below)
            *below_p = below;
        if (above && !*above_p)
            *above_p = above;
    } while (end && !*above_p);
}

nw_mapping_t *nw_map_table_find_by_base(nw_map_table_t *table, const char *host)
{
    nw_mapping_t *above, *below;
    find_neighbours(table, host, &below, &above);
    if (below && host <= below->base)
        return below;
    return above && host >= above->base ? above : NULL;
}

nw_status_t nw_map_table_insert(nw_map_table_t *table, char *host, size_t size, const char *name,
                                nw_mapping_t **mapping_p)
{
    nw_map_join(table, host, size);
    return nw_map_shard_insert(nw_map_shard_of(table, host), host, size, name, mapping_p);
}

nw_status_t nw_map_table_share(nw_map_table_t *table, char *host, size_t size, const char *name,
                               nw_mapping_t **mapping_p)
{
    nw_map_join(table, host, size);
    return nw_map_shard_share(nw_map_shard_of(table, host), host, size, name, mapping_p);
}

bool nw_map_table_is_shared(nw_map_table_t *table, const char *host, size_t size)
{
    nw_mapping_t *mapping;
    const char *end = host + size;
    while (nw_map_table_lookup(table, host, (size_t)(end - host), &mapping) != NW_ABSENT) {
        if (!mapping->is_shared)
            return false;
        if (mapping->host_end >= end)
            break;
        host = mapping->host_end;
    }
    return true;
}

nw_status_t nw_map_table_associate(nw_map_table_t *table, char *host, size_t size, char *device, const char *global,
                                   nw_mapping_t **mapping_p)
{
    nw_map_join(table, host, size);
    return nw_map_shard_associate(nw_map_shard_of(table, host), host, size, device, global, mapping_p);
}

nw_mapping_t *nw_map_table_find_in_use(nw_map_table_t *table, const char *host, size_t size)
{
    nw_mapping_t *m = nw_map_table_next_ending(table, host, size, NULL);
    for (; m; m = nw_map_table_next_ending(table, host, size, m)) {
        if (m->host == host && m->host_end == host + size && m->vouchers > 0 && !m->is_stale && !m->successor &&
            atomic_load_explicit(&m->n_attached, memory_order_relaxed) == 0)
            return m;
    }
    return NULL;
}

/* Only its predecessor holds the mapping: that gets its memory back, or takes its place before the successor. */
static void give_back(nw_map_table_t *table, nw_mapping_t *mapping)
{
    nw_mapping_t *before = mapping->predecessor;
    before->successor = mapping->successor;
    if (mapping->successor)
        mapping->successor->predecessor = before;
    before->block = mapping->block;
    mapping->block = NULL;
    nw_map_table_discard(table, mapping);
}

/* Frees a mapping that nobody uses. Its successor has one use less; returns that, if its ender has waited for it. */
static nw_mapping_t *let_go(nw_map_table_t *table, nw_mapping_t *mapping)
{
    nw_mapping_t *successor = mapping->successor;
    nw_map_table_discard(table, mapping);
    if (!successor)
        return NULL;
    successor->predecessor = NULL;
    return nw_map_table_unuse(table, successor);
}

nw_mapping_t *nw_map_table_unuse_removed(nw_map_table_t *table, nw_mapping_t *mapping)
{
    if (mapping->users == 0)
        return let_go(table, mapping);
    if (mapping->users == 1 && mapping->predecessor) {
        give_back(table, mapping);
        return NULL;
    }
    if (!mapping->ender_waits || mapping->users != mapping->ender_users)
        return NULL;
    mapping->ender_waits = false;
    return mapping;
}

/* How many attached pointers begin before the offset. */
static uint32_t count_attached_before(const nw_mapping_t *mapping, size_t offset)
{
    uint32_t low = 0, high = atomic_load_explicit(&mapping->n_attached, memory_order_relaxed);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (mapping->attached[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool nw_mapping_attach(nw_mapping_t *mapping, size_t offset, size_t size, uintptr_t value, nw_status_t *status_p)
{
    uint32_t n = atomic_load_explicit(&mapping->n_attached, memory_order_relaxed);
    uint32_t at = count_attached_before(mapping, offset);
    *status_p = NW_OK;
    if (at < n && mapping->attached[at].offset == offset) {
        bool changed = mapping->attached[at].value != value;
        mapping->attached[at].value = value;
        return changed;
    }
    if (n == mapping->attached_capacity) {
        uint32_t capacity = n ? 2 * n : 4;
        nw_attachment_t *grown = realloc(mapping->attached, capacity * sizeof *grown);
        if (!grown) {
            *status_p = NW_ERR_NO_MEMORY;
            return false;
        }
        mapping->attached = grown;
        mapping->attached_capacity = capacity;
    }
    memmove(&mapping->attached[at + 1], &mapping->attached[at], (n - at) * sizeof *mapping->attached);
    mapping->attached[at] = (nw_attachment_t){.offset = offset, .size = size, .value = value};
    if (size > mapping->longest_attached)
        mapping->longest_attached = size;
    /* Release pairs with the acquire in nw_mapping_next_run, which then takes the lock. */
    atomic_store_explicit(&mapping->n_attached, n + 1, memory_order_release);
    return true;
}

bool nw_mapping_next_run(nw_map_table_t *table, nw_mapping_t *mapping, size_t *offset, size_t end, size_t *length_p)
{
    if (*offset >= end)
        return false;
    if (NW_LIKELY(atomic_load_explicit(&mapping->n_attached, memory_order_acquire) == 0)) {
        *length_p = end - *offset;
        return true;
    }
    nw_map_hold_t hold = nw_map_hold_to_look(table, mapping->host);
    uint32_t n = atomic_load_explicit(&mapping->n_attached, memory_order_relaxed);
    size_t run_end = end, longest = mapping->longest_attached;
    /* None that begins before that reaches here. */
    for (uint32_t i = count_attached_before(mapping, *offset > longest ? *offset - longest : 0); i < n; i++) {
        const nw_attachment_t *hole = &mapping->attached[i];
        if (hole->offset + hole->size <= *offset)
            continue;
        if (hole->offset > *offset) {
            run_end = hole->offset < end ? hole->offset : end;
            break;
        }
        *offset = hole->offset + hole->size;
    }
    nw_map_release(table, hold);
    if (*offset >= end)
        return false;
    *length_p = run_end - *offset;
    return true;
}
const char *nw_count_text(uint64_t count, char buffer[24])
{
    if (count == NW_FOREVER)
        return "INF";
    snprintf(buffer, 24, "%" PRIu64, count);
    return buffer;
}

/* One live mapping's figures, copied out so that the lock is not held while they print. */
typedef struct row {
    char *host, *host_end, *device;
    uint64_t dynamic_count, hold_count;
    const char *name;
} row_t;

static row_t row_of(const nw_mapping_t *mapping)
{
    return (row_t){.host = mapping->host,
                   .host_end = mapping->host_end,
                   .device = mapping->device,
                   .dynamic_count = mapping->dynamic_count,
                   .hold_count = mapping->hold_count,
                   .name = mapping->name};
}

/* Copies the live mappings' figures; NULL if memory is out, or if there are none. */
static row_t *copy_rows(nw_map_table_t *table, size_t *n_p)
{
    size_t n = 0, at = 0;
    nw_map_hold_t hold = nw_map_hold(table, NULL);
    for (uint32_t i = 0; i < table->n_shards; i++)
        n += table->shards[i]->n_live;
    row_t *rows = n > 0 ? malloc(n * sizeof *rows) : NULL;
    const char *end = NULL;
    do {
        nw_map_shard_t *shard = nw_map_search_directory(table, end, &end);
        for (nw_mapping_t *m = nw_map_shard_next(shard, NULL); rows && m; m = nw_map_shard_next(shard, m))
            rows[at++] = row_of(m);
    } while (end);
    nw_map_release(table, hold);
    *n_p = at;
    return rows;
}

nw_map_range_t *nw_map_table_ranges(nw_map_table_t *table, size_t *n_p)
{
    size_t n_rows;
    row_t *rows = copy_rows(table, &n_rows);
    nw_map_range_t *ranges = n_rows > 0 ? malloc(n_rows * sizeof *ranges) : NULL;
    *n_p = 0;
    for (size_t i = 0; ranges && i < n_rows; i++) {
        if (rows[i].dynamic_count != NW_FOREVER)
            ranges[(*n_p)++] =
                (nw_map_range_t){.host = rows[i].host, .size = (size_t)(rows[i].host_end - rows[i].host)};
    }
    free(rows);
    return ranges;
}

void nw_map_table_dump(nw_map_table_t *table, const nw_ident_t *loc, int device_number, FILE *stream)
{
    size_t n;
    row_t *rows = copy_rows(table, &n);
    if (n == 0) {
        nw_info_to(stream, device_number, "OpenMP Host-Device pointer mappings table empty");
        return;
    }
    nw_info_to(stream, device_number, "OpenMP Host-Device pointer mappings after block at %s:",
               nw_info_place(loc).text);
    nw_info_to(stream, device_number, "%-18s %-18s %s %s %s %s", "Host Ptr", "Target Ptr", "Size (B)", "DynRefCount",
               "HoldRefCount", "Declaration");
    for (size_t i = 0; i < n; i++) {
        char dynamic[24], hold[24];
        nw_info_to(stream, device_number, NW_INFO_ADDRESS " " NW_INFO_ADDRESS " %-8zu %-11s %-12s %s",
                   NW_INFO_BITS(rows[i].host), NW_INFO_BITS(rows[i].device),
                   (size_t)(rows[i].host_end - rows[i].host), nw_count_text(rows[i].dynamic_count, dynamic),
                   nw_count_text(rows[i].hold_count, hold), nw_info_declaration(rows[i].name).text);
    }
    free(rows);
}
