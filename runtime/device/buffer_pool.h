/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Cache of freed device memory, by size class, so that a region that maps fresh data neither calls malloc nor, on a
 * GPU, the driver (whose allocation calls may wait for the whole device).
 *
 * Classes: four to each power of two from 64 bytes to 64 MiB, so that at most a fifth of a block is waste. Larger
 * requests go straight to the source.
 */
#ifndef NW_BUFFER_POOL_H
#define NW_BUFFER_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define NW_POOL_CLASSES 81

/* Free blocks. Their addresses are kept here, since the host can't write to a GPU's memory. */
typedef struct nw_pool_list {
    pthread_mutex_t lock;
    void **blocks;
    _Atomic size_t n; /* written with the lock held */
    size_t capacity;
} nw_pool_list_t;

/* Lists of each class, so that threads that map data of one size don't queue at one: each has a list where it looks
 * first, and goes on to the next if that one is empty or taken. */
#define NW_POOL_LISTS 4

typedef struct nw_pool_class {
    nw_pool_list_t lists[NW_POOL_LISTS];
} nw_pool_class_t;

typedef struct nw_buffer_pool {
    void *(*source)(void *context, size_t size); /* returns memory aligned to 64 bytes, or NULL */
    void (*drain)(void *context, void *block, size_t size);
    void *context;
    size_t limit; /* most bytes kept for reuse */
    _Atomic size_t kept;
    _Atomic size_t live;
    _Atomic size_t peak;
    nw_pool_class_t classes[NW_POOL_CLASSES];
} nw_buffer_pool_t;

void nw_buffer_pool_init(nw_buffer_pool_t *pool, void *(*source)(void *, size_t),
                         void (*drain)(void *, void *, size_t), void *context, size_t limit);

/* Returns `size` bytes aligned to 64, or NULL when even an emptied cache leaves too little. Threads: any. */
void *nw_buffer_pool_alloc(nw_buffer_pool_t *pool, size_t size);

/* Takes back a block; size is the one it was asked for with. Threads: any. */
void nw_buffer_pool_free(nw_buffer_pool_t *pool, void *block, size_t size);

/* Gives everything that is kept for reuse back to the source. Threads: any. */
void nw_buffer_pool_trim(nw_buffer_pool_t *pool);

/* Trims a pool that is not used any more, and frees what it needed itself. */
void nw_buffer_pool_destroy(nw_buffer_pool_t *pool);

#endif
