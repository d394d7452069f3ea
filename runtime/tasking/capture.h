/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Firstprivate variables, and descriptions of strided sections, of target tasks that were compiled without the plugin
 * and do not start inside their construct.
 *
 * For these clang gives the runtime the address of the encountering function's variable, not that of a copy of the
 * task's own, so a region that starts later would read whatever is there by then. The plugin mends that; without it the
 * values are saved when the construct is encountered:
 *   - if the entry is known to dispatch, it is run once for its arguments only (nw_capture_arguments);
 *   - if nothing is known of the entry (entry_kinds.h), not even which variables are private, the part of the stack
 *     that the task points into is saved whole (nw_capture_stack), and the dispatch picks what it needs. What lies
 *     elsewhere, such as a static array, is read late then.
 */
#ifndef NW_CAPTURE_H
#define NW_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/construct.h"

typedef struct nw_captured nw_captured_t;

/* True if some entry is a firstprivate variable that travels by address, or a strided section. */
bool nw_capture_needed(const nw_map_args_t *args);

/* Saves the values and points the task's arrays, which args gives, at the saved values. Returns NULL if
 * memory is out. Owns: the caller, until the region is dispatched; nw_capture_free. */
nw_captured_t *nw_capture_arguments(const nw_map_args_t *args);

/* Saves what the words in [begin, begin + size) point at, where they point into the calling thread's stack. Returns
 * NULL if none does. Owns: as above. */
nw_captured_t *nw_capture_stack(const void *begin, size_t size);

/* Points the entries of args at the values that nw_capture_stack has saved. */
void nw_capture_redirect(const nw_captured_t *captured, const nw_map_args_t *args);

void nw_capture_free(nw_captured_t *captured);

#endif
