/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the parts of core/tool share: the attached callbacks, and how one is called. */
#ifndef NW_TOOL_CALL_H
#define NW_TOOL_CALL_H

#include "core/tool.h"

extern nw_tool_callbacks_t nw_tool; /* set once, before the flag */

/* Calls a callback, if the tool has it and is still attached. */
#define NW_TELL(name, ...) \
    do { \
        if (nw_tool.name && nw_tool_call_begin()) { \
            nw_tool.name(__VA_ARGS__); \
            nw_tool_call_end(); \
        } \
    } while (0)

bool nw_tool_call_begin(void);
void nw_tool_call_end(void);

uint64_t nw_tool_new_id(void);

/* Tells of a data operation of a region, or of none. */
void nw_tool_tell_data(nw_tool_data_op_t *op, nw_ompt_scope_t scope, nw_tool_region_t *region);

#endif
