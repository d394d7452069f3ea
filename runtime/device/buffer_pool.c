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

/* List i of all of them; those of a class follow one another. */
static nw_pool_list_t *list_at(nw_buffer_pool_t *pool, unsigned i)
{
    return &pool->classes[i / NW_POOL_LISTS].lists[i % NW_POOL_LISTS];
}

/* The list of each class where the calling thread looks first. */
static unsigned first_list(void)
{
    static _Atomic unsigned n_threads;
    static _Thread_local unsigned number; /* from 1 on */
    if (__builtin_expect(number == 0, 0))
        number = atomic_fetch_add_explicit(&n_threads, 1, memory_order_relaxed) % NW_POOL_LISTS + 1;
    return number - 1;
}

void nw_buffer_pool_init(nw_buffer_pool_t *pool, void *(*source)(void *, size_t),
                         void (*drain)(void *, void *, size_t), void *context, size_t limit)
{
    *pool = (nw_buffer_pool_t){.source = source, .drain = drain, .context = context, .limit = limit};
    for (unsigned i = 0; i < NW_POOL_CLASSES * NW_POOL_LISTS; i++)
        pthread_mutex_init(&list_at(pool, i)->lock, NULL);
}

static void count_live(nw_buffer_pool_t *pool, size_t size)
{
    size_t live = atomic_fetch_add_explicit(&pool->live, size, memory_order_relaxed) + size;
    size_t peak = atomic_load_explicit(&pool->peak, memory_order_relaxed);
    while (live > peak && !atomic_compare_exchange_weak_explicit(&pool->peak, &peak, live, memory_order_relaxed,
                                                                 memory_order_relaxed))
        ;
}

/* Takes a block out of a list, whose lock is held; NULL if it is empty. */
static void *pop(nw_pool_list_t *list)
{
    size_t n = atomic_load_explicit(&list->n, memory_order_relaxed);
    if (n == 0)
        return NULL;
    atomic_store_explicit(&list->n, n - 1, memory_order_relaxed);
    return list->blocks[n - 1];
}

/* A free block of the class, or NULL. */
static void *take_block(nw_pool_class_t *class)
{
    unsigned first = first_list();
    void *block = NULL;
    nw_pool_list_t *taken = NULL;
    for (unsigned k = 0; k < NW_POOL_LISTS && !block; k++) {
        nw_pool_list_t *list = &class->lists[(first + k) % NW_POOL_LISTS];
        if (atomic_load_explicit(&list->n, memory_order_relaxed) == 0)
            continue;
        if (pthread_mutex_trylock(&list->lock) != 0) {
            taken = list;
            continue;
        }
        block = pop(list);
        pthread_mutex_unlock(&list->lock);
    }
    /* Before more memory is asked for, those that had blocks are worth a wait. */
    if (!block && taken) {
        pthread_mutex_lock(&taken->lock);
        block = pop(taken);
        pthread_mutex_unlock(&taken->lock);
    }
    return block;
}

void *nw_buffer_pool_alloc(nw_buffer_pool_t *pool, size_t size)
{
    size_t block_size;
    unsigned class = class_of(size, &block_size);
    void *block = class < NW_POOL_CLASSES ? take_block(&pool->classes[class]) : NULL;
    if (block)
        atomic_fetch_sub_explicit(&pool->kept, block_size, memory_order_relaxed);
    else
        block = pool->source(pool->context, block_size);
    if (!block) {
        nw_buffer_pool_trim(pool);
        block = pool->source(pool->context, block_size);
    }
    if (block)
        count_live(pool, block_size);
    return block;
}

/* A list of the class to put a block into, whose lock the caller gets. */
static nw_pool_list_t *lock_some_list(nw_pool_class_t *class)
{
    unsigned first = first_list();
    for (unsigned k = 0; k < NW_POOL_LISTS; k++) {
        nw_pool_list_t *list = &class->lists[(first + k) % NW_POOL_LISTS];
        if (pthread_mutex_trylock(&list->lock) == 0)
            return list;
    }
    pthread_mutex_lock(&class->lists[first].lock);
    return &class->lists[first];
}

/* False if the block is beyond the limit, or there is no memory to remember it by. */
static bool keep_block(nw_buffer_pool_t *pool, nw_pool_class_t *class, void *block, size_t block_size)
{
    if (atomic_load_explicit(&pool->kept, memory_order_relaxed) + block_size > pool->limit)
        return false;
    nw_pool_list_t *list = lock_some_list(class);
    size_t n = atomic_load_explicit(&list->n, memory_order_relaxed);
    if (n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        void **grown = realloc(list->blocks, capacity * sizeof *grown);
        if (grown) {
            list->blocks = grown;
            list->capacity = capacity;
        }
    }
    bool keep = n < list->capacity;
    if (keep) {
        list->blocks[n] = block;
        atomic_store_explicit(&list->n, n + 1, memory_order_relaxed);
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
    for (unsigned i = 0; i < NW_POOL_CLASSES * NW_POOL_LISTS; i++) {
        /* Every size of a class maps to it, so the block size follows from any of them. */
        unsigned class = i / NW_POOL_LISTS;
        size_t shift = class / 4 + SMALLEST_SHIFT, quarters = class % 4;
        size_t block_size = ((size_t)1 << shift) + quarters * ((size_t)1 << (shift - 2));
        nw_pool_list_t *list = list_at(pool, i);
        for (;;) {
            pthread_mutex_lock(&list->lock);
            void *block = pop(list);
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
    for (unsigned i = 0; i < NW_POOL_CLASSES * NW_POOL_LISTS; i++) {
        free(list_at(pool, i)->blocks);
        pthread_mutex_destroy(&list_at(pool, i)->lock);
    }
}
