/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/map_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/info.h"

static int compare_live(const nw_mapping_t *a, const nw_mapping_t *b)
{
    return a->host < b->host ? -1 : a->host > b->host;
}

static int compare_ending(const nw_mapping_t *a, const nw_mapping_t *b)
{
    if (a->host != b->host)
        return a->host < b->host ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
RB_GENERATE_INTERNAL(nw_live_tree, nw_mapping, link, compare_live, static)
RB_GENERATE_INTERNAL(nw_ending_tree, nw_mapping, link, compare_ending, static)
#pragma GCC diagnostic pop

static void init_lock(nw_map_table_t *table)
{
    /* Held for a few hundred instructions by threads on both sides of a region: whoever finds it taken looks again a
     * few times before it sleeps. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&table->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void nw_map_table_init(nw_map_table_t *table, nw_device_t *device)
{
    memset(table, 0, sizeof *table);
    init_lock(table);
    RB_INIT(&table->live);
    RB_INIT(&table->ending);
    table->device = device;
    table->hints = table->few_hints;
    table->hint_shift = 64 - (unsigned)__builtin_ctz(NW_FEW_HINTS);
}

void nw_map_table_after_fork(nw_map_table_t *table)
{
    nw_mapping_t *mapping;
    init_lock(table);
    RB_FOREACH(mapping, nw_live_tree, &table->live)
    {
        mapping->users = 0;
        mapping->transfer = NULL;
    }
    RB_INIT(&table->ending);
}

#define LARGE_PAGE ((size_t)2 << 20)

/* Returns memory of a power of two's size. What fills large pages gets them: in a large table, where searches go
 * anywhere, each would miss the TLB as well. */
static void *alloc_large(size_t size)
{
    size_t alignment = size < LARGE_PAGE ? size : LARGE_PAGE;
    void *memory = aligned_alloc(alignment, size);
    if (memory && size >= LARGE_PAGE)
        (void)madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

static nw_mapping_t **hint_of(const nw_map_table_t *table, const char *host)
{
    return &table->hints[(uint64_t)(uintptr_t)host * UINT64_C(0x9E3779B97F4A7C15) >> table->hint_shift];
}

/* Makes room for twice as many hints, all to be found anew. Without memory for them searches are slower, no more. */
static void grow_hints(nw_map_table_t *table)
{
    size_t size = ((size_t)2 << (64 - table->hint_shift)) * sizeof(nw_mapping_t *);
    nw_mapping_t **grown = alloc_large(size);
    if (!grown)
        return;
    memset(grown, 0, size);
    if (table->hints != table->few_hints)
        free(table->hints);
    table->hints = grown;
    table->hint_shift--;
}

/* Returns the live mapping with the greatest begin that is not above `host`, and in *above_p the one after it. */
static nw_mapping_t *floor_live(nw_map_table_t *table, const char *host, nw_mapping_t **above_p)
{
    nw_mapping_t *node = RB_ROOT(&table->live), *below = NULL, *above = NULL;
    while (node) {
        if (node->host <= host) {
            below = node;
            node = RB_RIGHT(node, link);
        } else {
            above = node;
            node = RB_LEFT(node, link);
        }
    }
    *above_p = above;
    return below;
}

nw_presence_t nw_map_table_lookup(nw_map_table_t *table, const char *host, size_t size, nw_mapping_t **mapping_p)
{
    nw_mapping_t **hint = hint_of(table, host), *above = NULL, *below = *hint;
    /* Live mappings share no byte, so one that holds the byte is the one. */
    if (NW_UNLIKELY(!below || !below->live || host < below->host || host >= below->host_end))
        below = floor_live(table, host, &above);
    if (below && host < below->host_end) {
        *mapping_p = *hint = below;
        return size <= (size_t)(below->host_end - host) ? NW_PRESENT : NW_PARTIAL;
    }
    if (above && size > (size_t)(above->host - host)) {
        *mapping_p = above;
        return NW_PARTIAL;
    }
    return NW_ABSENT;
}

nw_mapping_t *nw_map_table_find_by_base(nw_map_table_t *table, const char *host)
{
    nw_mapping_t *above, *below = floor_live(table, host, &above);
    if (below && host <= below->base)
        return below;
    return above && host >= above->base ? above : NULL;
}

/*
 * Mappings lie side by side in slabs, each in cache lines of its own, for the sake of searches in large tables: a step
 * down the tree reads one line. A slab is twice as large as the one before it, up to a large page; it stays until the
 * table goes.
 */
#define LINE 64
#define FIRST_SLAB ((size_t)4096)

typedef struct nw_mapping_slab {
    _Alignas(LINE) struct nw_mapping_slab *next;
    size_t size; /* bytes, with this head */
    size_t used;
} nw_mapping_slab_t;

#define PLACE ((sizeof(nw_mapping_t) + LINE - 1) / LINE * LINE)

_Static_assert(offsetof(nw_mapping_t, device) <= LINE, "a search reads one cache line of a mapping");

static nw_mapping_t *take_fresh(nw_map_table_t *table)
{
    nw_mapping_slab_t *slab = table->slabs;
    if (!slab || slab->size - slab->used < PLACE) {
        size_t size = !slab ? FIRST_SLAB : slab->size < LARGE_PAGE ? 2 * slab->size : LARGE_PAGE;
        nw_mapping_slab_t *fresh = alloc_large(size);
        if (!fresh)
            return NULL;
        *fresh = (nw_mapping_slab_t){.next = slab, .size = size, .used = sizeof *fresh};
        table->slabs = slab = fresh;
    }
    nw_mapping_t *mapping = (nw_mapping_t *)((char *)slab + slab->used);
    slab->used += PLACE;
    memset(mapping, 0, sizeof *mapping);
    return mapping;
}

static nw_mapping_t *take_spare(nw_map_table_t *table)
{
    nw_mapping_t *mapping = table->spare;
    if (!mapping)
        return take_fresh(table);
    table->spare = (nw_mapping_t *)mapping->ender;
    nw_attachment_t *attached = mapping->attached;
    uint32_t capacity = mapping->attached_capacity;
    memset(mapping, 0, sizeof *mapping);
    mapping->attached = attached;
    mapping->attached_capacity = capacity;
    return mapping;
}

static void put_spare(nw_map_table_t *table, nw_mapping_t *mapping)
{
    mapping->ender = (nw_op_t *)table->spare;
    table->spare = mapping;
}

void nw_map_table_destroy(nw_map_table_t *table)
{
    for (nw_mapping_t *mapping = table->spare; mapping; mapping = (nw_mapping_t *)mapping->ender)
        free(mapping->attached);
    while (table->spare_sections)
        free(nw_map_table_take_section(table));
    if (table->hints != table->few_hints)
        free(table->hints);
    while (table->slabs) {
        struct nw_mapping_slab *next = table->slabs->next;
        free(table->slabs);
        table->slabs = next;
    }
    pthread_mutex_destroy(&table->lock);
}

static void insert_live(nw_map_table_t *table, nw_mapping_t *mapping, char *host, size_t size, const char *name)
{
    mapping->host = mapping->base = host;
    mapping->host_end = host + size;
    mapping->name = name;
    mapping->live = true;
    mapping->born = table->n_constructs;
    RB_INSERT(nw_live_tree, &table->live, mapping);
    if (NW_UNLIKELY(4 * ++table->n_live >> (64 - table->hint_shift)))
        grow_hints(table);
    *hint_of(table, host) = mapping;
}

nw_status_t nw_map_table_insert(nw_map_table_t *table, char *host, size_t size, const char *name,
                                nw_mapping_t **mapping_p)
{
    nw_device_t *device = table->device;
    size_t padding = (uintptr_t)host % 64;
    if (size > SIZE_MAX - padding)
        return NW_ERR_INVALID;
    nw_mapping_t *mapping = take_spare(table);
    if (!mapping)
        return NW_ERR_NO_MEMORY;
    char *block = device->ops->alloc(device, size + padding);
    if (!block) {
        put_spare(table, mapping);
        return nw_device_alloc_status(table->device);
    }
    mapping->block = block;
    mapping->block_size = size + padding;
    mapping->device = block + padding;
    insert_live(table, mapping, host, size, name);
    *mapping_p = mapping;
    return NW_OK;
}

nw_status_t nw_map_table_associate(nw_map_table_t *table, char *host, size_t size, char *device, const char *global,
                                   nw_mapping_t **mapping_p)
{
    nw_mapping_t *mapping = take_spare(table);
    if (!mapping)
        return NW_ERR_NO_MEMORY;
    mapping->device = device;
    mapping->dynamic_count = NW_FOREVER;
    mapping->is_global = global != NULL;
    insert_live(table, mapping, host, size, global);
    *mapping_p = mapping;
    return NW_OK;
}

void nw_map_table_remove(nw_map_table_t *table, nw_mapping_t *mapping, bool ending)
{
    RB_REMOVE(nw_live_tree, &table->live, mapping);
    table->n_live--;
    mapping->live = false;
    if (!ending)
        return;
    size_t size = (size_t)(mapping->host_end - mapping->host);
    if (RB_EMPTY(&table->ending))
        table->longest_ending = 0;
    if (size > table->longest_ending)
        table->longest_ending = size;
    mapping->order = ++table->n_endings;
    mapping->ending = true;
    RB_INSERT(nw_ending_tree, &table->ending, mapping);
}

void nw_map_table_end(nw_map_table_t *table, nw_mapping_t *mapping)
{
    if (mapping->ending)
        RB_REMOVE(nw_ending_tree, &table->ending, mapping);
    mapping->ending = false;
}

void nw_map_table_discard(nw_map_table_t *table, nw_mapping_t *mapping)
{
    nw_map_table_end(table, mapping);
    if (mapping->block)
        table->device->ops->free(table->device, mapping->block, mapping->block_size);
    atomic_store_explicit(&mapping->n_attached, 0, memory_order_relaxed);
    put_spare(table, mapping);
}

bool nw_map_table_unuse(nw_map_table_t *table, nw_mapping_t *mapping)
{
    mapping->users--;
    if (mapping->live)
        return false;
    if (mapping->users == 0) {
        nw_map_table_discard(table, mapping);
        return false;
    }
    if (!mapping->ender_waits || mapping->users != mapping->ender_users)
        return false;
    mapping->ender_waits = false;
    return true;
}

nw_section_t *nw_map_table_take_section(nw_map_table_t *table)
{
    nw_section_t *section = table->spare_sections;
    if (!section)
        return malloc(sizeof *section);
    table->spare_sections = section->next;
    return section;
}

void nw_map_table_put_section(nw_map_table_t *table, nw_section_t *section)
{
    section->next = table->spare_sections;
    table->spare_sections = section;
}

nw_mapping_t *nw_map_table_next_ending(nw_map_table_t *table, const char *host, size_t size, nw_mapping_t *after)
{
    nw_mapping_t *node;
    if (after) {
        node = RB_NEXT(nw_ending_tree, &table->ending, after);
    } else {
        if (RB_EMPTY(&table->ending))
            return NULL;
        /* Nothing that begins before this can reach `host`. */
        uintptr_t address = (uintptr_t)host;
        nw_mapping_t from = {.host = (char *)(address > table->longest_ending ? address - table->longest_ending : 0)};
        node = RB_NFIND(nw_ending_tree, &table->ending, &from);
    }
    while (node && node->host < host + size && node->host_end <= host)
        node = RB_NEXT(nw_ending_tree, &table->ending, node);
    return node && node->host < host + size ? node : NULL;
}

bool nw_mapping_attach(nw_mapping_t *mapping, size_t offset, size_t size, uintptr_t value, nw_status_t *status_p)
{
    uint32_t n = atomic_load_explicit(&mapping->n_attached, memory_order_relaxed), at = 0;
    *status_p = NW_OK;
    while (at < n && mapping->attached[at].offset < offset)
        at++;
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
    pthread_mutex_lock(&table->lock);
    uint32_t n = atomic_load_explicit(&mapping->n_attached, memory_order_relaxed);
    size_t run_end = end;
    for (uint32_t i = 0; i < n; i++) {
        const nw_attachment_t *hole = &mapping->attached[i];
        if (hole->offset + hole->size <= *offset)
            continue;
        if (hole->offset > *offset) {
            run_end = hole->offset < end ? hole->offset : end;
            break;
        }
        *offset = hole->offset + hole->size;
    }
    pthread_mutex_unlock(&table->lock);
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

/* Copies the live mappings' figures; NULL if memory is out, or if there are none. */
static row_t *copy_rows(nw_map_table_t *table, size_t *n_p)
{
    nw_mapping_t *mapping;
    size_t n = 0, at = 0;
    pthread_mutex_lock(&table->lock);
    RB_FOREACH(mapping, nw_live_tree, &table->live)
        n++;
    row_t *rows = n > 0 ? malloc(n * sizeof *rows) : NULL;
    RB_FOREACH(mapping, nw_live_tree, &table->live)
    {
        if (!rows)
            break;
        rows[at++] = (row_t){.host = mapping->host,
                             .host_end = mapping->host_end,
                             .device = mapping->device,
                             .dynamic_count = mapping->dynamic_count,
                             .hold_count = mapping->hold_count,
                             .name = mapping->name};
    }
    pthread_mutex_unlock(&table->lock);
    *n_p = at;
    return rows;
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
