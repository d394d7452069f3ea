/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/slab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_SLAB ((size_t)4096)
#define LARGE_PAGE ((size_t)2 << 20)

typedef struct nw_slab {
    _Alignas(NW_LINE) struct nw_slab *next;
    size_t size; /* bytes, with this head */
    size_t used;
} nw_slab_t;

static nw_slab_t *make_slab(size_t size)
{
    nw_slab_t *slab = aligned_alloc(size, size);
    if (slab && size >= LARGE_PAGE)
        (void)madvise(slab, size, MADV_HUGEPAGE);
    return slab;
}

void *nw_slab_take(struct nw_slab **slabs_p, size_t size)
{
    nw_slab_t *slab = *slabs_p;
    size = (size + NW_LINE - 1) / NW_LINE * NW_LINE;
    if (!slab || slab->size - slab->used < size) {
        size_t slab_size = !slab ? FIRST_SLAB : slab->size < LARGE_PAGE ? 2 * slab->size : LARGE_PAGE;
        nw_slab_t *fresh = make_slab(slab_size);
        if (!fresh)
            return NULL;
        *fresh = (nw_slab_t){.next = slab, .size = slab_size, .used = sizeof *fresh};
        *slabs_p = slab = fresh;
    }
    void *object = (char *)slab + slab->used;
    slab->used += size;
    return memset(object, 0, size);
}

void nw_slab_free_all(struct nw_slab **slabs_p)
{
    while (*slabs_p) {
        nw_slab_t *next = (*slabs_p)->next;
        free(*slabs_p);
        *slabs_p = next;
    }
}
