/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text of one trace event, put together in memory of the caller's. Names are cut so that an event always fits. */
#ifndef NW_TRACE_TEXT_H
#define NW_TRACE_TEXT_H

#include <stdint.h>
#include <string.h>

#include "support/ident.h"

/* Bytes of an event: a name, and less than 700 of other things. */
#define NW_TRACE_LONGEST_NAME 200u
#define NW_TRACE_LONGEST_EVENT 1024u

typedef struct nw_trace_text {
    size_t used;
    char bytes[NW_TRACE_LONGEST_EVENT];
} nw_trace_text_t;

/* Constant words of JSON. */
static inline __attribute__((always_inline)) void nw_trace_text_words(nw_trace_text_t *text, const char *words)
{
    size_t length = strlen(words);
    memcpy(text->bytes + text->used, words, length);
    text->used += length;
}

static inline void nw_trace_text_character(nw_trace_text_t *text, char character)
{
    text->bytes[text->used++] = character;
}

void nw_trace_text_number(nw_trace_text_t *text, uint64_t number);

/* Microseconds with three decimals, from nanoseconds. */
void nw_trace_text_time(nw_trace_text_t *text, int64_t ns);

/* Up to `most` bytes of a name inside a JSON string: what may not stand there is escaped or replaced. */
void nw_trace_text_name(nw_trace_text_t *text, const char *name, size_t length, size_t most);

/* " file:line", or " function:line" from the kernel's name, or nothing. */
void nw_trace_text_place(nw_trace_text_t *text, const nw_ident_t *loc, const char *kernel);

#endif
