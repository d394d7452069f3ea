/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Empty tasks that order a program's foreign tasks with its OpenMP tasks: what constructs interop generate (OpenMP 5.2,
 * 14.1). Such a task starts when its dependences are met and is complete when the foreign tasks in the object's queue
 * are over.
 */
#ifndef NW_ORDER_TASK_H
#define NW_ORDER_TASK_H

#include "core/interop_object.h"
#include "tasking/dependence_wait.h"

/* One construct. */
typedef struct nw_order {
    nw_interop_t *interop; /* NULL: an empty object, only the dependences count */
    nw_dependence_lists_t dependences;
    bool runs_callbacks;
    bool destroys; /* the object ends with the task */
} nw_order_t;

/* Returns when the construct's task is complete. Blocks. */
void nw_order_now(nw_ident_t *loc, int32_t gtid, const nw_order_t *order);

/* Makes the construct's task and returns. The object may be gone when it does, if the construct destroys it. Blocks:
 * for the dependences only, and only if foreign tasks that are yet to come could otherwise overtake the task: what it
 * depends on has not reached a device yet, or has something to bring back; in block mode until the task is complete. */
void nw_order_later(nw_ident_t *loc, int32_t gtid, const nw_order_t *order);

#endif
