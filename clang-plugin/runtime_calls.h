/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Replaces the calls of a target task with calls of libnowait, as include/nowait/abi.h declares them.
 */
#ifndef NOWAIT_PLUGIN_RUNTIME_CALLS_H
#define NOWAIT_PLUGIN_RUNTIME_CALLS_H

#include "target_task.h"

/* Makes the calls of one allocation of task go to libnowait: the allocation itself and its submissions. */
void nw_calls_replace_alloc(const struct nw_target_task *task, const struct nw_task_alloc *alloc);

/* Makes a dispatch call of task go to libnowait, with the task and the address of its slot. */
void nw_calls_replace_dispatch(const struct nw_target_task *task, const struct nw_dispatch *dispatch);

#endif
