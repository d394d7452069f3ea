/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/reuse.h"

#include "core/stats.h"

/* What may be taken over, or NULL. */
static nw_mapping_t *find(const nw_op_t *op, uint64_t type, const char *host, size_t size)
{
    if (!(type & NW_MAP_TO) || (type & NW_MAP_ALWAYS) || !nw_reuse_is_worth(size))
        return NULL;
    nw_mapping_t *old = nw_map_table_find_in_use(&op->device->map, host, size);
    if (!old || (((type & NW_MAP_FROM) || op->follows) && !old->writes_host))
        return NULL;
    /* Waiting for the kernel behind the copy would cost more than another copy. */
    bool is_late = old->transfer && !old->writes_host &&
                   atomic_load_explicit(&old->transfer->work.data_comes_late, memory_order_relaxed);
    return is_late ? NULL : old;
}

bool nw_reuse_is_possible(const nw_op_t *op, uint64_t type, const char *host, size_t size)
{
    return find(op, type, host, size) != NULL;
}

nw_mapping_t *nw_reuse(nw_decision_t *d, int32_t i, uint64_t type, char *host, size_t size)
{
    nw_mapping_t *mapping, *old = find(d->op, type, host, size);
    if (!old)
        return NULL;
    nw_stats_count(NW_STAT_DATA_REUSED);
    d->reused = old;
    if (!nw_mapping_is_awaited(old)) {
        nw_decision_check(d, i, nw_map_table_revive(d->table, old));
        return old;
    }
    const char *name = d->args->names ? d->args->names[i] : NULL;
    nw_decision_check(d, i, nw_map_table_succeed(d->table, old, name, &mapping));
    if (old->transfer)
        nw_decision_check(d, i, nw_op_wait_for_data(d->op, old->transfer));
    nw_decision_wait_for_endings(d, i, host, size, NULL, false);
    /* Whoever finds it present waits for the same. */
    mapping->transfer = d->op;
    d->op->work.brings_data = true;
    d->reused = mapping;
    return mapping;
}

void nw_reuse_vouch(nw_decision_t *d, nw_step_t *step, uint64_t type)
{
    nw_mapping_t *mapping = step->mapping;
    bool is_whole = step->host == mapping->host && step->host + step->size == mapping->host_end;
    bool has_hosts_bytes = (step->flags & NW_STEP_IN) || mapping == d->reused || mapping->vouchers > 0;
    if (!(type & NW_MAP_TO) || !is_whole || !has_hosts_bytes || mapping->dynamic_count == NW_FOREVER)
        return;
    step->flags |= NW_STEP_VOUCHES;
    mapping->vouchers++;
}

void nw_reuse_outdate(nw_decision_t *d, const char *host, size_t size)
{
    nw_mapping_t *m = nw_map_table_next_ending(d->table, host, size, NULL);
    for (; m; m = nw_map_table_next_ending(d->table, host, size, m))
        m->is_stale = true;
}
