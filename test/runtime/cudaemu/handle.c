/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/handle.h"

#include <string.h>

#include "cudaemu/emu.h"

#define ALIVE UINT64_C(0x6375646148616e64)

/* What a free slot holds. */
typedef struct free_slot {
    uint64_t live;
    struct free_slot *next;
} free_slot_t;

static void *new_slot(handles_t *handles)
{
    if (!handles->base) {
        /* So large that only what is used takes memory; and leak checkers look into it. */
        handles->base = emu_alloc(handles->size * handles->limit);
    }
    return handles->used < handles->limit ? handles->base + handles->size * handles->used++ : NULL;
}

void *emu_handle_new(handles_t *handles)
{
    /* Some are kept back, so that a handle is not reused right after it was freed. */
    free_slot_t *slot = handles->oldest;
    if (slot && slot->next && slot->next->next)
        handles->oldest = slot->next;
    else
        slot = new_slot(handles);
    if (!slot)
        return NULL;
    memset(slot, 0, handles->size);
    slot->live = ALIVE;
    handles->live++;
    return slot;
}

void emu_handle_free(handles_t *handles, void *handle)
{
    free_slot_t *slot = handle;
    *slot = (free_slot_t){0};
    if (handles->oldest)
        ((free_slot_t *)handles->newest)->next = slot;
    else
        handles->oldest = slot;
    handles->newest = slot;
    handles->live--;
}

bool emu_handle_is(const handles_t *handles, const void *handle)
{
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)handles->base;
    return handles->base && offset < handles->used * handles->size && offset % handles->size == 0 &&
           *(const uint64_t *)handle == ALIVE;
}
