/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Status codes: what a function that can fail returns. Outputs are set only on success, unless stated otherwise. */
#ifndef NW_STATUS_H
#define NW_STATUS_H

typedef enum nw_status {
#define NW_STATUS(name, value, text) NW_##name = (value),
#include "support/status.def"
#undef NW_STATUS
} nw_status_t;

#define NW_MUST_CHECK __attribute__((warn_unused_result))

/* Returns the text of a status; never NULL. */
const char *nw_status_text(nw_status_t status);

#endif
