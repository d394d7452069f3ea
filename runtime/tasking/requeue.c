/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/requeue.h"

#include "core/stats.h"
#include "support/log.h"
#include "support/settings.h"
#include "tasking/completion.h"
#include "tasking/libomp.h"
#include "tasking/target_task.h"

static _Thread_local double fruitless;

void nw_requeue_after_dispatch(nw_op_t *op, int32_t gtid)
{
    const nw_libomp_t *omp = nw_libomp();
    void **handle = omp->target_async_handle ? omp->target_async_handle(gtid) : NULL;
    /* In a team of one and inside a final task there may be a queue, but taskwait doesn't wait for what is in it. */
    if (!handle || !omp->has_task_team(gtid) || omp->num_threads() == 1 || omp->in_final()) {
        nw_op_wait(op);
        nw_completion_requeued(op);
        return;
    }
    *handle = op;
    nw_stats_count(NW_STAT_REQUEUES);
}

void nw_requeue_query(void **handle)
{
    if (!handle || !*handle)
        nw_fatal(NULL, "internal error: libomp asks for the completion of a region that has no operation; report it");
    nw_op_t *op = *handle;
    nw_stats_count(NW_STAT_QUERIES);
    if (nw_op_state(op) != NW_OP_DONE) {
        if (fruitless <= (double)nw_settings.query_threshold) {
            if (fruitless < (double)nw_settings.query_max)
                fruitless += 1;
            nw_stats_count(NW_STAT_REQUEUES);
            return;
        }
        nw_op_wait(op);
    }
    fruitless *= nw_settings.query_backoff;
    nw_completion_requeued(op);
    *handle = NULL;
}
