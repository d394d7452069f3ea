/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handles that can be told from wrong ones: slots of one block that is never given back, so that a stale handle can
 * still be looked at. Called with the lock held.
 */
#ifndef EMU_HANDLE_H
#define EMU_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct handles {
    size_t size;  /* bytes of a slot; its first 8 are a mark of life */
    size_t limit; /* most slots */
    char *base;
    size_t used;           /* slots ever taken */
    size_t live;           /* slots in use */
    void *oldest, *newest; /* freed ones, in that order: a stale handle stays one for long */
} handles_t;

/* Returns a zeroed slot, or NULL if all are taken. */
void *emu_handle_new(handles_t *handles);
void emu_handle_free(handles_t *handles, void *handle);
bool emu_handle_is(const handles_t *handles, const void *handle);

#endif
