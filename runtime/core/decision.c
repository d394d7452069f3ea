/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/decision.h"

#include <inttypes.h>
#include <string.h>

#include "core/reuse.h"
#include "support/settings.h"

_Noreturn void nw_decision_fail(nw_decision_t *d, int32_t i, const char *what)
{
    int number = d->op->work.device->number;
    nw_map_release(d->table, d->hold);
    nw_decision_print(d);
    if (nw_settings.info & NW_INFO_TABLE)
        nw_map_table_dump(d->table, d->op->work.loc, number, stderr);
    nw_fatal(d->op->work.loc, "device %d: map of %s (%p, %" PRId64 " bytes): %s", number,
             nw_decision_name(d, i).text, d->args->ptrs[i], d->args->sizes[i], what);
}

/* What LLVM adds when a construct can't begin. */
static void detail_begin(nw_decision_t *d, const char *why)
{
    if (d->kind != NW_TARGET && d->kind != NW_DATA_BEGIN)
        return;
    nw_log_llvm("error: Call to getTargetPointer returned null pointer (%s).", why);
    if (d->kind != NW_TARGET)
        return;
    nw_log_llvm("error: Call to targetDataBegin failed, abort target.");
    nw_log_llvm("error: Failed to process data before launching the kernel.");
}

void nw_decision_detail_absence(nw_decision_t *d, int32_t i)
{
    nw_log_llvm("message: device mapping required by 'present' %s modifier does not exist for host address "
                NW_INFO_ADDRESS " (%" PRId64 " bytes)",
                d->kind == NW_DATA_UPDATE ? "motion" : "map type", NW_INFO_BITS(d->args->ptrs[i]), d->args->sizes[i]);
    detail_begin(d, "'present' map type modifier");
}

void nw_decision_detail_extension(nw_decision_t *d, int32_t i, const nw_mapping_t *mapping)
{
    nw_log_llvm("message: explicit extension not allowed: host address specified is " NW_INFO_ADDRESS " (%" PRId64
                " bytes), but device allocation maps to host at " NW_INFO_ADDRESS " (%zu bytes)",
                NW_INFO_BITS(d->args->ptrs[i]), d->args->sizes[i], NW_INFO_BITS(mapping->host),
                (size_t)(mapping->host_end - mapping->host));
    if (d->args->types[i] & NW_MAP_PRESENT)
        nw_decision_detail_absence(d, i);
    else
        detail_begin(d, "device failure or illegal mapping");
}

void nw_decision_check(nw_decision_t *d, int32_t i, nw_status_t status)
{
    if (NW_UNLIKELY(status != NW_OK))
        nw_decision_fail(d, i, nw_status_text(status));
}

char *nw_decision_captured(const nw_map_args_t *args, int32_t i, size_t *size_p)
{
    char *captured = args->ptrs[i];
    *size_p = (size_t)args->sizes[i];
    if (NW_UNLIKELY(captured == args->bases[i])) {
        memcpy(&captured, args->bases[i], sizeof captured);
        *size_p = 0;
    }
    return captured;
}

nw_step_t *nw_decision_add_step(nw_decision_t *d, int32_t i)
{
    nw_step_t *step = nw_op_add_step(d->op);
    if (NW_UNLIKELY(!step))
        nw_decision_fail(d, i, nw_status_text(NW_ERR_NO_MEMORY));
    step->entry = i;
    return step;
}

nw_step_t *nw_decision_use(nw_decision_t *d, int32_t i, nw_mapping_t *mapping, char *host, size_t size)
{
    nw_step_t *step = nw_decision_add_step(d, i);
    step->mapping = mapping;
    step->host = host;
    step->device = mapping->device + (host - mapping->host);
    step->size = size;
    mapping->users++;
    if (mapping->transfer && mapping->transfer != d->op)
        nw_decision_check(d, i, nw_op_wait_for_data(d->op, mapping->transfer));
    return step;
}

void nw_decision_wait_for_endings(nw_decision_t *d, int32_t i, const char *host, size_t size,
                                  const nw_mapping_t *cover, bool all)
{
    if (NW_LIKELY(!nw_map_table_has_endings(d->table, host)))
        return;
    nw_mapping_t *next, *ending = nw_map_table_next_ending(d->table, host, size, NULL);
    for (; ending; ending = next) {
        next = nw_map_table_next_ending(d->table, host, size, ending);
        if (ending->ender == d->op || !(ending->writes_host || (all && ending->is_pointee)))
            continue;
        nw_decision_check(d, i, nw_op_wait_for(d->op, ending->ender));
        if (cover && cover->host <= ending->host && cover->host_end >= ending->host_end)
            nw_map_table_end(d->table, ending);
    }
}

/* An implicit map may reach beyond what is present; only what is present is copied. */
static void clip(nw_step_t *step)
{
    nw_mapping_t *mapping = step->mapping;
    size_t before = step->host < mapping->host ? (size_t)(mapping->host - step->host) : 0;
    char *end = step->host + step->size;
    size_t behind = end > mapping->host_end ? (size_t)(end - mapping->host_end) : 0;
    step->host += before;
    step->device += before;
    step->size -= before + behind;
}

bool nw_decision_is_copied(nw_decision_t *d, nw_step_t *step, uint32_t direction)
{
    bool covered = false;
    clip(step);
    nw_decision_check(d, step->entry, nw_coverage_find(&d->coverage, &d->op->work,
                                                       (uint32_t)(step - d->op->work.steps), direction, &covered));
    return covered;
}

void nw_decision_copy_in(nw_decision_t *d, nw_step_t *step)
{
    if (step->mapping->is_shared)
        return;
    clip(step);
    step->flags |= NW_STEP_IN;
    d->op->work.copies_in = d->op->needs_device = true;
    nw_decision_wait_for_endings(d, step->entry, step->host, step->size, NULL, false);
    NW_DECISION_TELL(NW_INFO_COPY, copy, d, step, true);
}

void nw_decision_copy_out(nw_decision_t *d, nw_step_t *step)
{
    if (step->mapping->is_shared)
        return;
    clip(step);
    step->flags |= NW_STEP_OUT;
    d->op->work.copies_out = d->op->needs_device = true;
    step->mapping->copied_out = d->op->construct;
    if (step->host == step->mapping->host && step->host + step->size == step->mapping->host_end)
        step->mapping->copied_out_whole = d->op->construct;
    nw_decision_wait_for_endings(d, step->entry, step->host, step->size, NULL, false);
    if (NW_UNLIKELY(nw_map_table_has_endings(d->table, step->host)))
        nw_reuse_outdate(d, step->host, step->size);
    NW_DECISION_TELL(NW_INFO_COPY, copy, d, step, false);
}

nw_mapping_t *nw_decision_find(nw_decision_t *d, int32_t i, char *host, size_t size)
{
    uint64_t type = d->args->types[i];
    nw_mapping_t *mapping;
    nw_presence_t presence = nw_map_table_lookup(d->table, host, size, &mapping);
    if (presence == NW_PRESENT || (presence == NW_PARTIAL && (type & NW_MAP_IMPLICIT)))
        return mapping;
    bool is_shared = d->shared_memory && (presence == NW_ABSENT ? !(type & NW_MAP_CLOSE)
                                                                : nw_map_table_is_shared(d->table, host, size));
    if ((type & NW_MAP_PRESENT) && !is_shared) {
        nw_decision_detail_absence(d, i);
        nw_decision_fail(d, i,
                         presence == NW_PARTIAL ? "is only partly present, but its 'present' modifier demands all of it"
                                                : "is not present, as its 'present' modifier demands; map it before");
    }
    return NULL;
}
