/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pinned host memory through which pageable data goes: a copy from or to pageable memory would make the calling thread
 * wait for the GPU. Each GPU has its own.
 *
 * Memory is pinned in pages of 1 MiB. Blocks are cut from the current page, one after the other; a page is used again
 * once all of its blocks have come back. So there is nothing to fragment: what is free becomes whole pages as soon as
 * the works in flight are over.
 *
 * Pinning memory is slow and may wait for the GPU, so a thread that dispatches takes what there is; more is pinned by
 * a transfer thread.
 */
#ifndef NW_CUDA_STAGING_H
#define NW_CUDA_STAGING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NW_CUDA_PAGE_SIZE ((size_t)1 << 20)

/* Begins every page, which is aligned to its size. */
typedef struct nw_cuda_page {
    struct nw_cuda_page *next; /* in the list of free ones */
    _Atomic uint32_t blocks;   /* in use, and 1 while the page is the current one */
    uint32_t used;             /* bytes, with this header */
} nw_cuda_page_t;

typedef struct nw_cuda_staging {
    pthread_mutex_t lock;
    nw_cuda_page_t *current, *free;
    void **slabs; /* what has been pinned */
    uint32_t n_slabs, capacity;
    _Atomic size_t pinned; /* bytes */
} nw_cuda_staging_t;

/* The largest block. */
#define NW_CUDA_LARGEST_BLOCK (NW_CUDA_PAGE_SIZE - 64)

void nw_cuda_staging_init(nw_cuda_staging_t *staging);

/* Returns `size` bytes aligned to 64, or NULL if none are free. Threads: any. Blocks: never. */
void *nw_cuda_staging_take(nw_cuda_staging_t *staging, size_t size);

/* Takes a block back. Returns true if that made a page free. Threads: any. Blocks: never. */
bool nw_cuda_staging_give(nw_cuda_staging_t *staging, void *block);

/* Pins more memory; false at the limit of so many bytes, or if the driver refuses. A context is current. Blocks. */
bool nw_cuda_staging_grow(nw_cuda_staging_t *staging, size_t limit);

/* Unpins everything. No block is in use. Blocks. */
void nw_cuda_staging_close(nw_cuda_staging_t *staging);

#endif
