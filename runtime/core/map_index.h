/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An ordered index from addresses to pointers: a B+ tree whose nodes are eight cache lines, so that a search in a
 * million entries reads some twenty lines, most of them in nodes that stay in the cache.
 *
 * A node is given up when it is empty, not when it is half empty: with insertions and removals mixed, nodes rarely
 * become empty, and nothing moves twice (Johnson and Shasha, "B-trees with inserts and deletes: why free-at-empty is
 * better than merge-at-half"). Nodes that were given up are used again; memory goes back when the index is destroyed.
 *
 * Threads: one at a time. Nothing blocks.
 */
#ifndef NW_MAP_INDEX_H
#define NW_MAP_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nw_index_node nw_index_node_t;

typedef struct nw_index {
    nw_index_node_t *root; /* NULL: empty */
    uint32_t height;       /* levels; 1: the root is a leaf */
    uint32_t n_spare;
    nw_index_node_t *spare; /* linked through `next` */
    struct nw_slab *slabs;
} nw_index_t;

/* Makes room for one insertion. False if memory is out. */
bool nw_index_reserve(nw_index_t *index);

/* Adds an entry; its key must not be there, and room must have been made. */
void nw_index_insert(nw_index_t *index, uintptr_t key, void *value);

/* Takes the entry out; it must be there. */
void nw_index_remove(nw_index_t *index, uintptr_t key);

/* Returns the value of the greatest key that is not above `key`, and in *above_p that of the least key above it; either
 * is NULL if there is none. */
void *nw_index_floor(const nw_index_t *index, uintptr_t key, void **above_p);

/* Calls `visit` for each entry, in the order of the keys. */
void nw_index_visit(const nw_index_t *index, void (*visit)(void *of, uintptr_t key, void *value), void *of);

/* Frees the memory; a zeroed index has none. */
void nw_index_destroy(nw_index_t *index);

#endif
