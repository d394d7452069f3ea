/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LLVM's own way to finish a deferred region (review D132005), kept as the baseline: the operation's address goes into
 * libomp's slot for it; libomp then gives the task back to its queue, and whichever thread takes it next asks
 * __tgt_target_nowait_query whether the operation is over.
 *
 * A thread counts its fruitless queries; above a threshold the next one blocks (OMPTARGET_QUERY_COUNT_*).
 */
#ifndef NW_REQUEUE_H
#define NW_REQUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/op.h"

/*
 * Whether the calling thread's tasks may be finished in this way. Not if the first region of the program is inside a
 * parallel region, and nested ones are allowed: libomp then starts its helper threads, and if another thread forms a
 * team meanwhile, it takes one of their numbers and ends the program (kmp_runtime.cpp, new_gtid <=
 * __kmp_hidden_helper_threads_num). From there on regions finish as in event mode; one warning says so.
 */
bool nw_requeue_can_be(void);

/* Leaves a submitted operation to libomp's queue, or waits for it where libomp has no queue to put the task in. */
void nw_requeue_after_dispatch(nw_op_t *op, int32_t gtid);

/* Answers libomp: clears *handle if the operation is over. */
void nw_requeue_query(void **handle);

#endif
