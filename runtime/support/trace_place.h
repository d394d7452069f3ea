/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The source places of a trace's events, as text. A program has few, and each stands in many events. */
#ifndef NW_TRACE_PLACE_H
#define NW_TRACE_PLACE_H

#include "support/trace_text.h"

/* As nw_trace_text_place, and remembers the text. Threads: any. Blocks: never; allocates memory for a new place. */
void nw_trace_place_put(nw_trace_text_t *text, const nw_ident_t *loc, const char *kernel);

#endif
