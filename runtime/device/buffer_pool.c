/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/buffer_pool.h"

#include <stdbool.h>
#include <stdlib.h>

#define SMALLEST_SHIFT 6
#define LARGEST_SHIFT 26

/* Returns the class that holds `size`, and its block size; NW_POOL_CLASSES if the request is too large for one. */
static unsigned class_of(size_t size, size_t *block_size_p)
{
    if (size <= ((size_t)1 << SMALLEST_SHIFT)) {
        *block_size_p = (size_t)1 << SMALLEST_SHIFT;
        return 0;
    }
    if (size > ((size_t)1 << LARGEST_SHIFT)) {
        *block_size_p = size;
        return NW_POOL_CLASSES;
    }
    /* size - 1 lies in [2^shift, 2^(shift+1)); a quarter of that range is one class. */
    unsigned shift = 63u - (unsigned)__builtin_clzl(size - 1);
    size_t quarter = (size_t)1 << (shift - 2);
    size_t quarters = (size - 1 - ((size_t)1 << shift)) / quarter + 1;
    *block_size_p = ((size_t)1 << shift) + quarters * quarter;
    return (shift - SMALLEST_SHIFT) * 4 + (unsigned)quarters;
}

void nw_buffer_pool_init(nw_buffer_pool_t *pool, void *(*source)(void *, size_t),
                         void (*drain)(void *, void *, size_t), void *context, size_t limit)
{
    *pool = (nw_buffer_pool_t){.source = source, .drain = drain, .context = context, .limit = limit};
    for (unsigned i = 0; i < NW_POOL_CLASSES; i++)
        pthread_mutex_init(&pool->classes[i].lock, NULL);
}

static void count_live(nw_buffer_pool_t *pool, size_t size)
{
    size_t live = atomic_fetch_add_explicit(&pool->live, size, memory_order_relaxed) + size;
    size_t peak = atomic_load_explicit(&pool->peak, memory_order_relaxed);
    while (live > peak && !atomic_compare_exchange_weak_explicit(&pool->peak, &peak, live, memory_order_relaxed,
                                                                 memory_order_relaxed))
        ;
}

void *nw_buffer_pool_alloc(nw_buffer_pool_t *pool, size_t size)
{
    size_t block_size;
    unsigned class = class_of(size, &block_size);
    void *block = NULL;
    if (class < NW_POOL_CLASSES) {
        nw_pool_class_t *list = &pool->classes[class];
        pthread_mutex_lock(&list->lock);
        if (list->n > 0)
            block = list->blocks[--list->n];
        pthread_mutex_unlock(&list->lock);
        if (block)
            atomic_fetch_sub_explicit(&pool->kept, block_size, memory_order_relaxed);
    }
    if (!block)
        block = pool->source(pool->context, block_size);
    if (!block) {
        nw_buffer_pool_trim(pool);
        block = pool->source(pool->context, block_size);
    }
    if (block)
        count_live(pool, block_size);
    return block;
}

/* False if the block is beyond the limit, or there is no memory to remember it by. */
static bool keep_block(nw_buffer_pool_t *pool, nw_pool_class_t *list, void *block, size_t block_size)
{
    if (atomic_load_explicit(&pool->kept, memory_order_relaxed) + block_size > pool->limit)
        return false;
    pthread_mutex_lock(&list->lock);
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        void **grown = realloc(list->blocks, capacity * sizeof *grown);
        if (grown) {
            list->blocks = grown;
            list->capacity = capacity;
        }
    }
    bool keep = list->n < list->capacity;
    if (keep) {
        list->blocks[list->n++] = block;
        atomic_fetch_add_explicit(&pool->kept, block_size, memory_order_relaxed);
    }
    pthread_mutex_unlock(&list->lock);
    return keep;
}

void nw_buffer_pool_free(nw_buffer_pool_t *pool, void *block, size_t size)
{
    size_t block_size;
    unsigned class = class_of(size, &block_size);
    atomic_fetch_sub_explicit(&pool->live, block_size, memory_order_relaxed);
    if (class >= NW_POOL_CLASSES || !keep_block(pool, &pool->classes[class], block, block_size))
        pool->drain(pool->context, block, block_size);
}

void nw_buffer_pool_trim(nw_buffer_pool_t *pool)
{
    for (unsigned class = 0; class < NW_POOL_CLASSES; class++) {
        /* Every size of a class maps to it, so the block size follows from any of them. */
        size_t shift = class / 4 + SMALLEST_SHIFT, quarters = class % 4;
        size_t block_size = ((size_t)1 << shift) + quarters * ((size_t)1 << (shift - 2));
        nw_pool_class_t *list = &pool->classes[class];
        for (;;) {
            void *block = NULL;
            pthread_mutex_lock(&list->lock);
            if (list->n > 0)
                block = list->blocks[--list->n];
            pthread_mutex_unlock(&list->lock);
            if (!block)
                break;
            atomic_fetch_sub_explicit(&pool->kept, block_size, memory_order_relaxed);
            pool->drain(pool->context, block, block_size);
        }
    }
}

void nw_buffer_pool_destroy(nw_buffer_pool_t *pool)
{
    nw_buffer_pool_trim(pool);
    for (unsigned class = 0; class < NW_POOL_CLASSES; class++) {
        free(pool->classes[class].blocks);
        pthread_mutex_destroy(&pool->classes[class].lock);
    }
}
