/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/trace_place.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "support/log.h"

#define PLACES 256u
/* Texts that are made at most: a program may load and close libraries for ever. */
#define MOST_MADE 4096u
/* Bytes that are always copied: most places are shorter. */
#define SHORT 48u

/* Never changed once it is in the table, and never freed, since other threads may look at it. */
typedef struct place {
    const struct place *before; /* whose entry it has taken */
    const char *words; /* what it was made from; the address may hold other words by now, */
    const char *copy;  /* which this tells */
    size_t length;
    char text[NW_TRACE_LONGEST_NAME + SHORT];
} place_t;

static _Atomic(const place_t *) places[PLACES];
static _Atomic unsigned n_made;

static _Atomic(const place_t *) *entry_of(const char *words)
{
    return &places[((uintptr_t)words * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
}

/* Remembers what has been put into `text` behind `begin`. */
static __attribute__((cold, noinline)) void remember(const char *words, const nw_trace_text_t *text, size_t begin)
{
    if (atomic_fetch_add_explicit(&n_made, 1, memory_order_relaxed) >= MOST_MADE)
        return;
    size_t size = strlen(words) + 1;
    char *memory = calloc(1, sizeof(place_t) + size);
    if (!memory)
        return;
    place_t *place = (place_t *)(void *)memory;
    place->words = words;
    place->copy = memcpy(memory + sizeof *place, words, size);
    place->length = text->used - begin;
    memcpy(place->text, text->bytes + begin, place->length);
    place->before = atomic_load_explicit(entry_of(words), memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(entry_of(words), &place->before, place, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

void nw_trace_place_put(nw_trace_text_t *text, const nw_ident_t *loc, const char *kernel)
{
    const char *source = nw_ident_source(loc);
    /* A source place without a file is no name: the kernel's is. */
    bool named = source && strncmp(source, ";unknown;", 9) != 0;
    const char *words = named ? source : kernel;
    if (!words)
        return;
    const place_t *place = atomic_load_explicit(entry_of(words), memory_order_acquire);
    if (NW_LIKELY(place && place->words == words && !strcmp(place->copy, words))) {
        memcpy(text->bytes + text->used, place->text, SHORT);
        if (NW_UNLIKELY(place->length > SHORT))
            memcpy(text->bytes + text->used, place->text, place->length);
        text->used += place->length;
        return;
    }
    size_t begin = text->used;
    nw_trace_text_place(text, named ? loc : NULL, named ? NULL : kernel);
    if (text->used > begin)
        remember(words, text, begin);
    else if (named)
        nw_trace_text_place(text, NULL, kernel);
}
