/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory that the driver knows: of devices, page-locked, managed, of modules. A device's address is an address of the
 * host here, so that kernels made of host code can run on it. Called with the lock held.
 */
#ifndef EMU_MEMORY_H
#define EMU_MEMORY_H

#include <bsd/sys/tree.h>

#include "cudaemu/context.h"

typedef enum memory_kind {
    MEMORY_DEVICE,
    MEMORY_POOL,       /* a device's, from a pool */
    MEMORY_PINNED,     /* the driver's own */
    MEMORY_REGISTERED, /* the program's */
    MEMORY_MANAGED,
    MEMORY_MODULE, /* global variables */
    N_MEMORY_KINDS
} memory_kind_t;

typedef struct allocation {
    RB_ENTRY(allocation) link;
    char *start;
    size_t size; /* bytes */
    memory_kind_t kind;
    context_t *context;
    struct CUmemPoolHandle_st *pool; /* of MEMORY_POOL */
    unsigned int flags;
    bool adopted; /* its bytes are not the driver's to free */
    bool freeing; /* a stream-ordered free is issued */
    uint64_t number;
} allocation_t;

/* Returns NULL if the device's memory does not suffice. */
allocation_t *emu_memory_new(context_t *context, memory_kind_t kind, size_t size, unsigned int flags);
/* Memory that is not the driver's to free. Returns NULL if part of it is known already. */
allocation_t *emu_memory_adopt(context_t *context, memory_kind_t kind, void *start, size_t size, unsigned int flags);
/* Device memory that a module's variables lie in: not counted as the program's, and not its to free. */
void emu_memory_becomes_module(allocation_t *allocation);
void emu_memory_delete(allocation_t *allocation);
/* Forgets what belongs to a context that ends. */
void emu_memory_delete_all(const context_t *context);

/* The allocation that an address lies in, or NULL. */
allocation_t *emu_memory_find(const void *address);
/* The allocation that all of a range lies in, or NULL. */
allocation_t *emu_memory_of_range(const void *start, size_t size);
/* Whether a range is still allocated that was so when a command was issued; if not, a misuse is reported. */
bool emu_memory_still(const void *start, size_t size);
/* The end of a stream-ordered free. */
void emu_memory_free_ordered(CUdeviceptr address);

#endif
