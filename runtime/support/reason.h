/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why something has failed, on its way from where that is found out to the one line that reports it. */
#ifndef NW_REASON_H
#define NW_REASON_H

#include "support/log.h"

/* Sets the calling thread's reason; a longer text is cut at 300 bytes. What was set before may be among the arguments.
 * Threads: any. Blocks: never. */
void nw_reason_set(const char *format, ...) NW_PRINTF(1, 2) __attribute__((cold));

/* Returns the thread's reason and forgets it, or `otherwise` if there is none. The words are valid until the thread's
 * next nw_reason_set. */
const char *nw_reason_take(const char *otherwise) __attribute__((cold));

#endif
