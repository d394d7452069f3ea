/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Devices and their primary contexts: one structure, since a device has no other context here. */
#ifndef EMU_CONTEXT_H
#define EMU_CONTEXT_H

#include "cudaemu/settings.h"
#include "cudaemu/timeline.h"

enum { N_LIMITS = 7 };

struct CUctx_st {
    int device;                    /* its ordinal */
    _Atomic unsigned int retained; /* read without the lock */
    unsigned int flags;
    _Atomic CUresult broken; /* by which fault; CUDA_SUCCESS: usable; read without the lock */
    size_t limits[N_LIMITS];
    uint32_t peers; /* a bit for each device that this one may reach */

    stream_t *streams; /* with the legacy stream */
    stream_t *legacy;
    uint64_t running; /* kernels, when their number is limited */
    stream_t *without_room, **last_without_room;
    uint64_t engine_free[N_DIRECTIONS]; /* when the copy engine can begin another copy */

    struct CUmod_st *modules;
    struct CUmemPoolHandle_st *default_pool;
    uint64_t memory_used, memory_high; /* bytes */
};

/* The emulated devices; their number is emu_settings.devices. */
extern context_t emu_contexts[MAX_DEVICES];

/* The calling thread's current context; only after ENTER(..., NEEDS_CONTEXT). */
context_t *emu_current(void);
/* NULL if there is no such device. */
context_t *emu_device(CUdevice device);
/* Whether a handle is a context that has not been destroyed. */
bool emu_context_is(CUcontext context);
/* The fault that has made a context unusable; any thread, no lock. */
CUresult emu_context_broken(const context_t *context);
/* Sets devices up; called once, by cuInit, with the lock held. */
void emu_contexts_begin(void);

#endif
