/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which form (slot.h) a target task gets. */
#ifndef NW_TASK_FORM_H
#define NW_TASK_FORM_H

#include "core/ompt.h"
#include "tasking/entry_kinds.h"
#include "tasking/target_task.h"

/* `device`: resolved; `kind`: the entry's; `tool`: one is attached. */
nw_task_form_t nw_task_form_choose(const nw_task_request_t *request, int64_t device, nw_entry_kind_t kind, bool tool);

/* Cancelled tasks lose their entry: see NW_TASK_DETACHED. The setting can't change while the program runs. */
bool nw_task_may_be_cancelled(void);

/* Where a tool keeps its data of the task; NULL: not known. To be called while the task's entry runs. */
nw_ompt_data_t *nw_task_tool_data(const nw_slot_t *slot);

#endif
