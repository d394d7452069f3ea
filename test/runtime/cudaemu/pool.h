/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stream-ordered memory. */
#ifndef EMU_POOL_H
#define EMU_POOL_H

#include "cudaemu/memory.h"

typedef struct CUmemPoolHandle_st pool_t;

/* A device's default pool. Lock held. */
pool_t *emu_pool_default(context_t *context);
/* What a pool of the device has given out is back. Lock held. */
void emu_pool_returned(pool_t *pool, size_t size);

#endif
