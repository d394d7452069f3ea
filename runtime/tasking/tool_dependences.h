/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What libomp would tell a tool of a task's dependences, for tasks that the runtime orders itself. */
#ifndef NW_TOOL_DEPENDENCES_H
#define NW_TOOL_DEPENDENCES_H

#include "core/ompt.h"
#include "tasking/graph.h"

/* Tells the tool, which has heard of the task. `task`: the tool's data of it; NULL: it keeps none. Threads: the one
 * that makes the task. Blocks: as the tool does. */
void nw_tool_tell_dependences(const nw_ident_t *loc, nw_ompt_data_t *task, const nw_dependence_lists_t *lists)
    __attribute__((cold));

#endif
