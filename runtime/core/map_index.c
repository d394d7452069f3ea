/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/map_index.h"

#include <stdlib.h>
#include <string.h>

#include "support/log.h"
#include "support/slab.h"

#define MOST 30

struct nw_index_node {
    uint32_t n;
    nw_index_node_t *previous, *next; /* leaves: their neighbours, in the whole index */
    /* Child i of an inner node holds the keys from key[i] to below key[i + 1]; key[0] is 0, whatever the node's parent
     * says of it. */
    uintptr_t key[MOST];
    void *child[MOST]; /* of a leaf: the values */
};

_Static_assert(sizeof(nw_index_node_t) <= 8 * NW_LINE, "a node is eight cache lines");

/* More levels than an index can have: all but the root have two children at least when they are made. */
#define MOST_LEVELS 64

/* The way from the root to a leaf. */
typedef struct path {
    nw_index_node_t *node[MOST_LEVELS];
    uint32_t at[MOST_LEVELS]; /* number of the child that was taken; of the leaf: of the greatest key not above */
} path_t;

/* How many keys of the node are not above `key`. */
static inline uint32_t count_not_above(const nw_index_node_t *node, uintptr_t key)
{
    const uintptr_t *base = node->key;
    uint32_t n = node->n;
    while (n > 1) {
        uint32_t half = n / 2;
        base += base[half - 1] <= key ? half : 0;
        n -= half;
    }
    return (uint32_t)(base - node->key) + (n == 1 && *base <= key);
}

static inline uint32_t child_for(const nw_index_node_t *node, uintptr_t key)
{
    return count_not_above(node, key) - 1;
}

/* Has all lines of a node come at once: a search reads three or four, each of which says which is next. */
static const nw_index_node_t *fetch(const nw_index_node_t *node)
{
    for (size_t line = 0; line < sizeof *node; line += NW_LINE)
        __builtin_prefetch((const char *)node + line);
    return node;
}

void *nw_index_floor(const nw_index_t *index, uintptr_t key, void **above_p)
{
    const nw_index_node_t *node = index->root;
    *above_p = NULL;
    if (!node)
        return NULL;
    for (uint32_t level = index->height; level > 1; level--)
        node = fetch(node->child[child_for(node, key)]);
    uint32_t n = count_not_above(node, key);
    if (n < node->n)
        *above_p = node->child[n];
    else if (node->next)
        *above_p = node->next->child[0];
    if (n > 0)
        return node->child[n - 1];
    return node->previous ? node->previous->child[node->previous->n - 1] : NULL;
}

/* As floor goes, and remembers the way. Whoever changes the index has searched it just before: all is there. */
static nw_index_node_t *descend(const nw_index_t *index, uintptr_t key, path_t *path)
{
    nw_index_node_t *node = index->root;
    uint32_t depth = 0;
    for (; depth + 1 < index->height; depth++) {
        path->node[depth] = node;
        path->at[depth] = child_for(node, key);
        node = node->child[path->at[depth]];
    }
    path->node[depth] = node;
    return node;
}

bool nw_index_reserve(nw_index_t *index)
{
    /* A node for each level, and a root. */
    while (NW_UNLIKELY(index->n_spare <= index->height)) {
        nw_index_node_t *node = nw_slab_take(&index->slabs, sizeof *node);
        if (!node)
            return false;
        node->next = index->spare;
        index->spare = node;
        index->n_spare++;
    }
    return true;
}

static nw_index_node_t *take_node(nw_index_t *index)
{
    nw_index_node_t *node = index->spare;
    index->spare = node->next;
    index->n_spare--;
    node->n = 0;
    node->previous = node->next = NULL;
    return node;
}

static void put_node(nw_index_t *index, nw_index_node_t *node)
{
    node->next = index->spare;
    index->spare = node;
    index->n_spare++;
}

static void insert_at(nw_index_node_t *node, uint32_t i, uintptr_t key, void *child)
{
    memmove(&node->key[i + 1], &node->key[i], (node->n - i) * sizeof node->key[0]);
    memmove(&node->child[i + 1], &node->child[i], (node->n - i) * sizeof node->child[0]);
    node->key[i] = key;
    node->child[i] = child;
    node->n++;
}

static void remove_at(nw_index_node_t *node, uint32_t i)
{
    node->n--;
    memmove(&node->key[i], &node->key[i + 1], (node->n - i) * sizeof node->key[0]);
    memmove(&node->child[i], &node->child[i + 1], (node->n - i) * sizeof node->child[0]);
}

/* Moves the upper part of a full node into a new one behind it: half of it, or none if the node is the last and keys
 * come in order, which then fill their nodes. */
static nw_index_node_t *split(nw_index_t *index, nw_index_node_t *node, bool at_end)
{
    nw_index_node_t *upper = take_node(index);
    uint32_t kept = at_end ? MOST - 1 : MOST / 2;
    upper->n = MOST - kept;
    memcpy(upper->key, &node->key[kept], upper->n * sizeof upper->key[0]);
    memcpy(upper->child, &node->child[kept], upper->n * sizeof upper->child[0]);
    node->n = kept;
    return upper;
}

static void link_behind(nw_index_node_t *leaf, nw_index_node_t *fresh)
{
    fresh->previous = leaf;
    fresh->next = leaf->next;
    if (leaf->next)
        leaf->next->previous = fresh;
    leaf->next = fresh;
}

void nw_index_insert(nw_index_t *index, uintptr_t key, void *value)
{
    path_t path;
    if (!index->root) {
        index->root = take_node(index);
        index->height = 1;
    }
    nw_index_node_t *node = descend(index, key, &path);
    uint32_t i = count_not_above(node, key);
    void *child = value;
    for (uint32_t depth = index->height; depth-- > 0;) {
        if (NW_LIKELY(node->n < MOST)) {
            insert_at(node, i, key, child);
            return;
        }
        bool is_leaf = depth + 1 == index->height;
        nw_index_node_t *upper = split(index, node, i == MOST);
        if (is_leaf)
            link_behind(node, upper);
        if (i > node->n)
            insert_at(upper, i - node->n, key, child);
        else
            insert_at(node, i, key, child);
        key = upper->key[0];
        child = upper;
        if (!is_leaf)
            upper->key[0] = 0;
        if (depth > 0) {
            node = path.node[depth - 1];
            i = path.at[depth - 1] + 1;
        }
    }
    nw_index_node_t *root = take_node(index);
    insert_at(root, 0, 0, index->root);
    insert_at(root, 1, key, child);
    index->root = root;
    index->height++;
}

void nw_index_remove(nw_index_t *index, uintptr_t key)
{
    path_t path;
    nw_index_node_t *node = descend(index, key, &path);
    uint32_t depth = index->height - 1, i = count_not_above(node, key) - 1;
    remove_at(node, i);
    if (NW_LIKELY(node->n > 0))
        return;
    if (node->previous)
        node->previous->next = node->next;
    if (node->next)
        node->next->previous = node->previous;
    /* Up to the first that keeps a child. */
    for (;;) {
        put_node(index, node);
        if (depth == 0) {
            index->root = NULL;
            index->height = 0;
            return;
        }
        node = path.node[--depth];
        remove_at(node, path.at[depth]);
        node->key[0] = 0;
        if (node->n > 0)
            break;
    }
    while (index->height > 1 && index->root->n == 1) {
        nw_index_node_t *root = index->root;
        index->root = root->child[0];
        index->height--;
        put_node(index, root);
    }
}

void nw_index_visit(const nw_index_t *index, void (*visit)(void *of, uintptr_t key, void *value), void *of)
{
    const nw_index_node_t *node = index->root;
    for (uint32_t level = index->height; level > 1; level--)
        node = node->child[0];
    for (; node; node = node->next) {
        if (node->next)
            (void)fetch(node->next);
        for (uint32_t i = 0; i < node->n; i++)
            visit(of, node->key[i], node->child[i]);
    }
}

void nw_index_destroy(nw_index_t *index)
{
    nw_slab_free_all(&index->slabs);
    memset(index, 0, sizeof *index);
}
