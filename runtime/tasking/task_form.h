/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which form (slot.h) a target task gets. */
#ifndef NW_TASK_FORM_H
#define NW_TASK_FORM_H

#include "core/ompt.h"
#include "tasking/entry_kinds.h"
#include "tasking/graph.h"
#include "tasking/target_task.h"

/* `device`: resolved; `kind`: the entry's. */
nw_task_form_t nw_task_form_choose(const nw_task_request_t *request, int64_t device, nw_entry_kind_t kind);

/* Cancelled tasks lose their entry: see NW_TASK_DETACHED. The setting can't change while the program runs. */
bool nw_task_may_be_cancelled(void);

/* Whether regions are ordered by the runtime's own graph: in event mode. Cancelled host tasks are dropped unseen, so
 * where there may be some libomp orders all. */
bool nw_task_graph_is_used(void);

/* The graph of the children of the task that the calling thread runs. Ends the program if memory is out. */
nw_graph_t *nw_task_graph(const nw_ident_t *loc, int32_t gtid);

/* Finds out where a tool keeps its data of tasks; to be called with a tool before the first task is made. The tool
 * hears of an empty task. Threads: any. Blocks: never. */
void nw_task_find_tool_data(nw_ident_t *loc, int32_t gtid) __attribute__((cold));

/* Where a tool keeps its data of the task; NULL: it keeps none. */
nw_ompt_data_t *nw_task_tool_data(const nw_slot_t *slot) __attribute__((cold));

#endif
