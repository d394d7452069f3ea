/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Objects that lie side by side in large blocks of memory, each in cache lines of its own. A block is twice as large as
 * the one before it, up to a large page, which the system is asked for: in a large table, where searches go anywhere,
 * each would otherwise miss the TLB as well. Blocks stay until all go.
 */
#ifndef NW_SLAB_H
#define NW_SLAB_H

#include <stddef.h>

/* Bytes of a cache line. */
#define NW_LINE 64

struct nw_slab;

/* Returns zeroed memory for an object of `size` bytes, less than half a large page; NULL if memory is out. *slabs_p is
 * NULL at first. Threads: one at a time. */
void *nw_slab_take(struct nw_slab **slabs_p, size_t size);

/* Frees all blocks. */
void nw_slab_free_all(struct nw_slab **slabs_p);

#endif
