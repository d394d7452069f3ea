/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a trace is told of target tasks (support/trace.h). Called only for operations that are traced. */
#ifndef NW_TASK_TRACE_H
#define NW_TASK_TRACE_H

#include "device/device.h"

/* The calling thread was in the construct since the mark; the task may be over by now. */
void nw_task_trace_construct(nw_trace_mark_t mark, const nw_ident_t *loc) __attribute__((cold));

/* The operation is about to be decided, and has been. `by_libomp`: when libomp saw its dependences met, which tells
 * nothing of them. */
void nw_task_trace_dispatch(nw_work_t *work, bool by_libomp) __attribute__((cold));
void nw_task_trace_dispatched(nw_work_t *work) __attribute__((cold));

/* The calling thread has completed the task since the mark. The region's library may have been closed since: nothing of
 * it is looked at. */
void nw_task_trace_released(nw_trace_mark_t mark) __attribute__((cold));

#endif
