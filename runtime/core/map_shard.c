/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/map_shard.h"

#include <stdlib.h>
#include <string.h>

#include "support/log.h"
#include "support/slab.h"

static int compare_ending(const nw_mapping_t *a, const nw_mapping_t *b)
{
    if (a->host != b->host)
        return a->host < b->host ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
RB_GENERATE_INTERNAL(nw_ending_tree, nw_mapping, link, compare_ending, static)
#pragma GCC diagnostic pop

_Static_assert(offsetof(nw_mapping_t, writes_host) < NW_LINE, "what a construct looks at is one cache line");

static void init_lock(nw_map_shard_t *shard)
{
    /* Held for a few hundred instructions by threads on both sides of a region: whoever finds it taken looks again a
     * few times before it sleeps. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&shard->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void nw_map_shard_init(nw_map_shard_t *shard, nw_device_t *device)
{
    memset(shard, 0, sizeof *shard);
    init_lock(shard);
    shard->device = device;
    shard->hints = shard->first_hints;
    shard->hints_log2 = NW_HINTS_LOG2;
}

void nw_map_shard_after_fork(nw_map_shard_t *shard)
{
    nw_mapping_t *mapping;
    init_lock(shard);
    for (mapping = nw_map_shard_next(shard, NULL); mapping; mapping = nw_map_shard_next(shard, mapping)) {
        mapping->users = mapping->vouchers = 0;
        mapping->transfer = NULL;
        mapping->predecessor = NULL;
    }
    memset(shard->ending, 0, sizeof shard->ending);
    shard->endings = 0;
}

nw_mapping_t *nw_map_shard_floor(nw_map_shard_t *shard, const char *host, nw_mapping_t **above_p)
{
    void *above;
    nw_mapping_t *below = nw_index_floor(&shard->live, (uintptr_t)host, &above);
    *above_p = above;
    return below;
}

nw_mapping_t *nw_map_shard_search(nw_map_shard_t *shard, const char *host, nw_mapping_t **above_p)
{
    nw_mapping_t *below = nw_map_shard_floor(shard, host, above_p);
    if (!below || host >= below->host_end)
        return NULL;
    *nw_map_shard_hint(shard, host) = below;
    return below;
}

/* A structure, and room for it in the index. */
static nw_mapping_t *take_spare(nw_map_shard_t *shard)
{
    nw_mapping_t *mapping = shard->spare;
    if (!nw_index_reserve(&shard->live))
        return NULL;
    if (!mapping)
        return nw_slab_take(&shard->slabs, sizeof *mapping);
    shard->spare = (nw_mapping_t *)mapping->ender;
    nw_attachment_t *attached = mapping->attached;
    uint32_t capacity = mapping->attached_capacity;
    memset(mapping, 0, sizeof *mapping);
    mapping->attached = attached;
    mapping->attached_capacity = capacity;
    return mapping;
}

static void put_spare(nw_map_shard_t *shard, nw_mapping_t *mapping)
{
    mapping->ender = (nw_op_t *)shard->spare;
    shard->spare = mapping;
}

void nw_map_shard_free_spare(nw_map_shard_t *shard)
{
    for (nw_mapping_t *mapping = shard->spare; mapping; mapping = (nw_mapping_t *)mapping->ender)
        free(mapping->attached);
    while (shard->spare_sections)
        free(nw_map_shard_take_section(shard));
}

static void free_hints(nw_map_shard_t *shard)
{
    if (shard->hints != shard->first_hints)
        free(shard->hints);
}

void nw_map_shard_destroy(nw_map_shard_t *shard)
{
    free_hints(shard);
    nw_index_destroy(&shard->live);
    nw_slab_free_all(&shard->slabs);
    pthread_mutex_destroy(&shard->lock);
}

static void hint_at(void *shard, uintptr_t key, void *mapping)
{
    *nw_map_shard_hint(shard, (const char *)key) = mapping;
}

/* Twice as many hints; as many as before if memory is out. */
static __attribute__((cold, noinline)) void add_hints(nw_map_shard_t *shard)
{
    nw_mapping_t **hints = calloc((size_t)2 << shard->hints_log2, sizeof *hints);
    if (!hints)
        return;
    free_hints(shard);
    shard->hints = hints;
    shard->hints_log2++;
    nw_index_visit(&shard->live, hint_at, shard);
}

static void link_live(nw_map_shard_t *shard, nw_mapping_t *mapping)
{
    nw_index_insert(&shard->live, (uintptr_t)mapping->host, mapping);
    if (NW_UNLIKELY(++shard->n_live > (size_t)1 << shard->hints_log2 >> 1) && shard->hints_log2 < NW_MOST_HINTS_LOG2)
        add_hints(shard);
}

static void unlink_live(nw_map_shard_t *shard, nw_mapping_t *mapping)
{
    nw_index_remove(&shard->live, (uintptr_t)mapping->host);
    shard->n_live--;
}

static void insert_live(nw_map_shard_t *shard, nw_mapping_t *mapping, char *host, size_t size, const char *name)
{
    mapping->host = mapping->base = host;
    mapping->host_end = host + size;
    mapping->name = name;
    mapping->live = true;
    mapping->born = shard->construct;
    link_live(shard, mapping);
    *nw_map_shard_hint(shard, host) = mapping;
}

nw_status_t nw_map_shard_insert(nw_map_shard_t *shard, char *host, size_t size, const char *name,
                                nw_mapping_t **mapping_p)
{
    nw_device_t *device = shard->device;
    size_t padding = (uintptr_t)host % 64;
    if (size > SIZE_MAX - padding)
        return NW_ERR_INVALID;
    nw_mapping_t *mapping = take_spare(shard);
    if (!mapping)
        return NW_ERR_NO_MEMORY;
    char *block = device->ops->alloc(device, size + padding);
    if (!block) {
        put_spare(shard, mapping);
        return nw_device_alloc_status(shard->device);
    }
    mapping->block = block;
    mapping->block_size = size + padding;
    mapping->device = block + padding;
    insert_live(shard, mapping, host, size, name);
    *mapping_p = mapping;
    return NW_OK;
}

nw_status_t nw_map_shard_associate(nw_map_shard_t *shard, char *host, size_t size, char *device, const char *global,
                                   nw_mapping_t **mapping_p)
{
    nw_mapping_t *mapping = take_spare(shard);
    if (!mapping)
        return NW_ERR_NO_MEMORY;
    mapping->device = device;
    mapping->dynamic_count = NW_FOREVER;
    mapping->is_global = global != NULL;
    insert_live(shard, mapping, host, size, global);
    *mapping_p = mapping;
    return NW_OK;
}

nw_status_t nw_map_shard_share(nw_map_shard_t *shard, char *host, size_t size, const char *name,
                               nw_mapping_t **mapping_p)
{
    nw_mapping_t *mapping = size <= UINTPTR_MAX - (uintptr_t)host ? take_spare(shard) : NULL;
    if (!mapping)
        return size <= UINTPTR_MAX - (uintptr_t)host ? NW_ERR_NO_MEMORY : NW_ERR_INVALID;
    mapping->device = host;
    mapping->is_shared = true;
    insert_live(shard, mapping, host, size, name);
    *mapping_p = mapping;
    return NW_OK;
}

/* Which ending tree the mapping belongs to. No mapping is empty. */
static unsigned ending_class(const nw_mapping_t *mapping)
{
    return 63u - (unsigned)__builtin_clzl((uintptr_t)(mapping->host_end - mapping->host));
}

static void link_ending(nw_map_shard_t *shard, nw_mapping_t *mapping)
{
    unsigned class = ending_class(mapping);
    mapping->order = ++shard->n_endings;
    RB_INSERT(nw_ending_tree, &shard->ending[class], mapping);
    shard->endings |= UINT64_C(1) << class;
}

static void unlink_ending(nw_map_shard_t *shard, nw_mapping_t *mapping)
{
    unsigned class = ending_class(mapping);
    RB_REMOVE(nw_ending_tree, &shard->ending[class], mapping);
    if (RB_EMPTY(&shard->ending[class]))
        shard->endings &= ~(UINT64_C(1) << class);
}

nw_status_t nw_map_shard_succeed(nw_map_shard_t *shard, nw_mapping_t *old, const char *name, nw_mapping_t **mapping_p)
{
    nw_mapping_t *mapping = take_spare(shard);
    if (!mapping)
        return NW_ERR_NO_MEMORY;
    mapping->block = old->block;
    mapping->block_size = old->block_size;
    mapping->device = old->device;
    mapping->users = 1;
    mapping->predecessor = old;
    insert_live(shard, mapping, old->host, (size_t)(old->host_end - old->host), name);
    mapping->born = old->born;
    old->block = NULL;
    old->successor = mapping;
    *mapping_p = mapping;
    return NW_OK;
}

nw_status_t nw_map_shard_revive(nw_map_shard_t *shard, nw_mapping_t *mapping)
{
    if (!nw_index_reserve(&shard->live))
        return NW_ERR_NO_MEMORY;
    nw_map_shard_end(shard, mapping);
    mapping->live = true;
    mapping->ender = NULL;
    link_live(shard, mapping);
    *nw_map_shard_hint(shard, mapping->host) = mapping;
    return NW_OK;
}

void nw_map_shard_remove(nw_map_shard_t *shard, nw_mapping_t *mapping, bool ending)
{
    unlink_live(shard, mapping);
    mapping->live = false;
    if (!ending)
        return;
    mapping->ending = true;
    link_ending(shard, mapping);
}

void nw_map_shard_end(nw_map_shard_t *shard, nw_mapping_t *mapping)
{
    if (mapping->ending)
        unlink_ending(shard, mapping);
    mapping->ending = false;
}

void nw_map_shard_discard(nw_map_shard_t *shard, nw_mapping_t *mapping)
{
    nw_map_shard_end(shard, mapping);
    if (mapping->block)
        shard->device->ops->free(shard->device, mapping->block, mapping->block_size);
    atomic_store_explicit(&mapping->n_attached, 0, memory_order_relaxed);
    put_spare(shard, mapping);
}

nw_section_t *nw_map_shard_take_section(nw_map_shard_t *shard)
{
    nw_section_t *section = shard->spare_sections;
    if (!section)
        return malloc(sizeof *section);
    shard->spare_sections = section->next;
    return section;
}

void nw_map_shard_put_section(nw_map_shard_t *shard, nw_section_t *section)
{
    section->next = shard->spare_sections;
    shard->spare_sections = section;
}

/* The first mapping of a tree that may reach `host`: what begins before is not so long. */
static nw_mapping_t *first_ending(nw_map_shard_t *shard, unsigned class, const char *host)
{
    uintptr_t address = (uintptr_t)host, longest = UINTPTR_MAX >> (63 - class);
    nw_mapping_t from = {.host = (char *)(address > longest ? address - longest : 0)};
    return RB_NFIND(nw_ending_tree, &shard->ending[class], &from);
}

/* The first that overlaps the range, from `node` on in its tree. */
static nw_mapping_t *first_over(nw_mapping_t *node, const char *host, size_t size)
{
    while (node && node->host < host + size && node->host_end <= host)
        node = RB_NEXT(nw_ending_tree, unused, node);
    return node && node->host < host + size ? node : NULL;
}

nw_mapping_t *nw_map_shard_next_ending(nw_map_shard_t *shard, const char *host, size_t size, nw_mapping_t *after)
{
    uint64_t left = shard->endings;
    nw_mapping_t *found = NULL;
    if (after) {
        unsigned class = ending_class(after);
        found = first_over(RB_NEXT(nw_ending_tree, unused, after), host, size);
        left &= ~(UINT64_MAX >> (63 - class));
    }
    for (; !found && left; left &= left - 1)
        found = first_over(first_ending(shard, (unsigned)__builtin_ctzll(left), host), host, size);
    return found;
}

nw_mapping_t *nw_map_shard_next(nw_map_shard_t *shard, nw_mapping_t *mapping)
{
    nw_mapping_t *above, *floor = nw_map_shard_floor(shard, mapping ? mapping->host : NULL, &above);
    return !mapping && floor ? floor : above;
}

bool nw_map_shard_is_empty(nw_map_shard_t *shard)
{
    return shard->n_live == 0 && shard->endings == 0;
}

bool nw_map_shard_crosses(nw_map_shard_t *shard, const char *host)
{
    nw_mapping_t *above, *below = nw_map_shard_floor(shard, host, &above);
    if (below && below->host < host && below->host_end > host)
        return true;
    for (nw_mapping_t *m = nw_map_shard_next_ending(shard, host, 1, NULL); m;
         m = nw_map_shard_next_ending(shard, host, 1, m)) {
        if (m->host < host)
            return true;
    }
    return false;
}

bool nw_map_shard_leans_up(nw_map_shard_t *shard, const char *host)
{
    nw_mapping_t *above, *below, *unused;
    below = nw_map_shard_floor(shard, host - 1, &above);
    while (below && above) {
        below = nw_map_shard_floor(shard, below->host - 1, &unused);
        above = nw_map_shard_next(shard, above);
    }
    return !below && above;
}

/* Forgets where it has found addresses: the structures may be another shard's from now on. */
static void forget(nw_map_shard_t *shard)
{
    memset(shard->hints, 0, sizeof *shard->hints << shard->hints_log2);
}

void nw_map_shard_move(nw_map_shard_t *from, nw_map_shard_t *to, const char *begin, const char *end)
{
    nw_mapping_t key = {.host = (char *)(uintptr_t)begin}, *m, *next;
    m = nw_map_shard_floor(from, begin, &next);
    m = m && m->host == begin ? m : next;
    for (; m && (!end || m->host < end); m = next) {
        next = nw_map_shard_next(from, m);
        unlink_live(from, m);
        /* There is no way back, and no way on. */
        if (!nw_index_reserve(&to->live))
            nw_fatal(NULL, "%s", nw_status_text(NW_ERR_NO_MEMORY));
        link_live(to, m);
    }
    /* In the order in which they came to their tree, as far as any may care: by address. */
    for (uint64_t left = from->endings; left; left &= left - 1) {
        m = RB_NFIND(nw_ending_tree, &from->ending[__builtin_ctzll(left)], &key);
        for (; m && (!end || m->host < end); m = next) {
            next = RB_NEXT(nw_ending_tree, unused, m);
            unlink_ending(from, m);
            link_ending(to, m);
        }
    }
    /* Its next construct comes after those of either. */
    if (to->construct < from->construct)
        to->construct = from->construct;
    forget(from);
}
