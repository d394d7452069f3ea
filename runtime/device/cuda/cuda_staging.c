/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_staging.h"

#include <stdlib.h>

#include "device/cuda/cuda_library.h"
#include "support/log.h"

/* Pages that are pinned at a time; one more is asked for, to find aligned ones in it. */
#define SLAB_PAGES 4u

#define HEADER 64u

_Static_assert(sizeof(nw_cuda_page_t) <= HEADER, "the first block's alignment");

void nw_cuda_staging_init(nw_cuda_staging_t *staging)
{
    *staging = (nw_cuda_staging_t){0};
    pthread_mutex_init(&staging->lock, NULL);
}

/* A page whose last block is back. Caller holds the lock. */
static void retire(nw_cuda_staging_t *staging, nw_cuda_page_t *page)
{
    page->next = staging->free;
    staging->free = page;
}

/* One block less on a page; true if it was the last. Acquire and release: who cuts the page next comes after all. */
static bool drop(nw_cuda_page_t *page)
{
    return atomic_fetch_sub_explicit(&page->blocks, 1, memory_order_acq_rel) == 1;
}

/* Makes a free page the current one; NULL if there is none. Caller holds the lock. */
static nw_cuda_page_t *turn_page(nw_cuda_staging_t *staging)
{
    if (staging->current && drop(staging->current))
        retire(staging, staging->current);
    nw_cuda_page_t *page = staging->free;
    if (page) {
        staging->free = page->next;
        page->used = HEADER;
        atomic_store_explicit(&page->blocks, 1, memory_order_relaxed);
    }
    staging->current = page;
    return page;
}

void *nw_cuda_staging_take(nw_cuda_staging_t *staging, size_t size)
{
    void *block = NULL;
    if (size > NW_CUDA_LARGEST_BLOCK)
        return NULL;
    size = (size + 63) / 64 * 64;
    pthread_mutex_lock(&staging->lock);
    nw_cuda_page_t *page = staging->current;
    if (!page || page->used + size > NW_CUDA_PAGE_SIZE)
        page = turn_page(staging);
    if (page) {
        block = (char *)page + page->used;
        page->used += (uint32_t)size;
        atomic_fetch_add_explicit(&page->blocks, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&staging->lock);
    return block;
}

bool nw_cuda_staging_give(nw_cuda_staging_t *staging, void *block)
{
    nw_cuda_page_t *page = (nw_cuda_page_t *)((uintptr_t)block / NW_CUDA_PAGE_SIZE * NW_CUDA_PAGE_SIZE);
    if (!drop(page))
        return false;
    pthread_mutex_lock(&staging->lock);
    retire(staging, page);
    pthread_mutex_unlock(&staging->lock);
    return true;
}

/* Remembers what has been pinned; false when memory is out. Caller holds the lock. */
static bool remember(nw_cuda_staging_t *staging, void *slab)
{
    if (staging->n_slabs == staging->capacity) {
        uint32_t capacity = staging->capacity ? 2 * staging->capacity : 16;
        void **grown = realloc(staging->slabs, capacity * sizeof *grown);
        if (!grown)
            return false;
        staging->slabs = grown;
        staging->capacity = capacity;
    }
    staging->slabs[staging->n_slabs++] = slab;
    return true;
}

bool nw_cuda_staging_grow(nw_cuda_staging_t *staging, size_t limit)
{
    size_t size = (SLAB_PAGES + 1) * NW_CUDA_PAGE_SIZE;
    void *slab;
    if (atomic_load_explicit(&staging->pinned, memory_order_relaxed) + SLAB_PAGES * NW_CUDA_PAGE_SIZE > limit)
        return false;
    CUresult result = nw_cuda.cuMemHostAlloc(&slab, size, CU_MEMHOSTALLOC_PORTABLE);
    if (result != CUDA_SUCCESS) {
        nw_log(NW_LOG_INFO, "no more host memory can be pinned: %s (cuMemHostAlloc)", nw_cuda_words(result));
        return false;
    }
    pthread_mutex_lock(&staging->lock);
    bool remembered = remember(staging, slab);
    if (remembered) {
        uintptr_t first = ((uintptr_t)slab + NW_CUDA_PAGE_SIZE - 1) / NW_CUDA_PAGE_SIZE * NW_CUDA_PAGE_SIZE;
        size_t whole = (size - (first - (uintptr_t)slab)) / NW_CUDA_PAGE_SIZE;
        for (size_t i = 0; i < whole; i++)
            retire(staging, (nw_cuda_page_t *)(first + i * NW_CUDA_PAGE_SIZE));
        atomic_fetch_add_explicit(&staging->pinned, whole * NW_CUDA_PAGE_SIZE, memory_order_relaxed);
    }
    pthread_mutex_unlock(&staging->lock);
    if (!remembered)
        (void)nw_cuda.cuMemFreeHost(slab);
    return remembered;
}

void nw_cuda_staging_close(nw_cuda_staging_t *staging)
{
    for (uint32_t i = 0; i < staging->n_slabs; i++)
        (void)nw_cuda.cuMemFreeHost(staging->slabs[i]);
    free(staging->slabs);
    pthread_mutex_destroy(&staging->lock);
    *staging = (nw_cuda_staging_t){0};
}
