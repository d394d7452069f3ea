/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/requeue.h"

#include "core/stats.h"
#include "support/log.h"
#include "support/settings.h"
#include "tasking/completion.h"
#include "tasking/libomp.h"
#include "tasking/target_task.h"

static _Thread_local double fruitless;

/* What has been decided at the first region. */
enum { NOT_DECIDED, CAN_BE, CAN_NOT_BE };
static _Atomic int decision;

static __attribute__((cold, noinline)) bool decide(void)
{
    const nw_libomp_t *omp = nw_libomp();
    int32_t level = omp->active_level();
    bool nests = level > 0 && level < omp->max_active_levels();
    int mine = nests && nw_settings_libomp_has_helpers() ? CAN_NOT_BE : CAN_BE, before = NOT_DECIDED;
    if (!atomic_compare_exchange_strong_explicit(&decision, &before, mine, memory_order_relaxed, memory_order_relaxed))
        return before == CAN_BE;
    if (mine == CAN_NOT_BE)
        nw_log(NW_LOG_WARNING, "NOWAIT_COMPLETION=requeue: libomp can't start its helper threads where parallel "
                               "regions nest; regions finish as in event mode");
    return mine == CAN_BE;
}

bool nw_requeue_can_be(void)
{
    int known = atomic_load_explicit(&decision, memory_order_relaxed);
    return NW_LIKELY(known != NOT_DECIDED) ? known == CAN_BE : decide();
}

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
