/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/attach.h"

#include <string.h>

#include "support/log.h"
#include "support/settings.h"

/* The fields of a descriptor behind its pointer: read from the host when the operation runs. The attachment covers
 * them, so that no other copy touches them; this one names no mapping and is not held up by it. */
static void copy_fields(nw_decision_t *d, int32_t i, const nw_mapping_t *mapping, char *slot, size_t size)
{
    char *device = mapping->device + (slot - mapping->host);
    nw_step_t *step = nw_decision_add_step(d, i);
    step->entry = -1;
    step->host = slot + sizeof(void *);
    step->device = device + sizeof(void *);
    step->size = size - sizeof(void *);
    step->flags = NW_STEP_IN;
}

nw_step_t *nw_attach(nw_decision_t *d, int32_t i, nw_mapping_t *mapping, char *slot, size_t size, uintptr_t value,
                     nw_mapping_t *pointee)
{
    nw_status_t status;
    if (pointee && !pointee->is_shared) {
        pointee->is_pointee = true;
        nw_decision_wait_for_endings(d, i, pointee->host, (size_t)(pointee->host_end - pointee->host), NULL, true);
    }
    bool write = nw_mapping_attach(mapping, (size_t)(slot - mapping->host), size, value, &status);
    bool has_fields = size > sizeof(void *);
    nw_decision_check(d, i, status);
    if (has_fields)
        copy_fields(d, i, mapping, slot, size);
    nw_step_t *step = nw_decision_use(d, i, mapping, slot, sizeof(void *));
    step->entry = -1;
    if (!write && !has_fields)
        return step;
    step->flags |= NW_STEP_POINTER;
    step->value = value;
    mapping->transfer = d->op;
    NW_DECISION_TELL(NW_INFO_COPY, copy, d, step, true);
    d->op->work.copies_in = d->op->needs_device = true;
    return step;
}

/* What the pointer held at the construct: the base of the entry for its data, which has the same address (clang 22's
 * code). False if the pointer holds something else by now and this construct does not map it: then it may be a local
 * variable of a function that has returned, and another variable lies in its place. */
static bool pointer_value(const nw_map_args_t *args, int32_t i, bool is_mapped_here, char **value_p)
{
    char *held;
    bool has_data = false;
    memcpy(&held, args->bases[i], sizeof held);
    *value_p = held;
    if ((size_t)args->sizes[i] > sizeof held)
        return true;
    /* Backwards from the entry: clang puts it behind its data's. */
    for (int32_t j = 1; j < args->n; j++) {
        int32_t k = (i - j + args->n) % args->n;
        if (args->ptrs[k] != args->ptrs[i] || (args->types[k] & NW_MAP_ATTACH))
            continue;
        if (args->bases[k] == held) {
            *value_p = held;
            return true;
        }
        if (!has_data)
            *value_p = args->bases[k];
        has_data = true;
    }
    return !has_data || is_mapped_here;
}

static void attach_entry(nw_decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    size_t size = (size_t)d->args->sizes[i];
    char *slot = d->args->bases[i], *host = d->args->ptrs[i], *value;
    nw_mapping_t *pointer, *data;
    if (size < sizeof(void *))
        return;
    if (nw_map_table_lookup(d->table, slot, size, &pointer) != NW_PRESENT ||
        nw_map_table_lookup(d->table, host, 0, &data) != NW_PRESENT || pointer->is_shared)
        return;
    bool fresh = pointer->born == d->op->construct || data->born == d->op->construct;
    if (!fresh && !(type & NW_MAP_ALWAYS) && !nw_settings.attach_always)
        return;
    if (!pointer_value(d->args, i, pointer->born == d->op->construct, &value)) {
        if (NW_UNLIKELY(nw_settings.log >= NW_LOG_DEBUG))
            nw_log_at(NW_LOG_DEBUG, d->op->work.loc, "%p no longer points at %p: it is not attached", (void *)slot,
                      (void *)host);
        return;
    }
    nw_decision_use(d, i, data, host, 0)->entry = -1;
    nw_attach(d, i, pointer, slot, size, (uintptr_t)(data->device + (host - data->host) - (host - value)), data);
}

void nw_attach_entries(nw_decision_t *d)
{
    for (int32_t i = 0; i < d->args->n; i++) {
        uint64_t type = d->args->types[i];
        if ((type & NW_MAP_ATTACH) && !(type & NW_MAP_PRIVATE))
            attach_entry(d, i);
    }
}

bool nw_attach_lambda_capture(nw_decision_t *d, int32_t i)
{
    size_t size;
    char *slot = d->args->bases[i], *host = nw_decision_captured(d->args, i, &size);
    nw_mapping_t *captured, *object;
    if (nw_map_table_lookup(d->table, slot, sizeof(void *), &object) != NW_PRESENT || object->is_shared)
        return false;
    if (nw_map_table_lookup(d->table, host, size, &captured) != NW_PRESENT)
        return true;
    nw_decision_use(d, i, captured, host, 0)->entry = -1;
    nw_attach(d, i, object, slot, sizeof(void *), (uintptr_t)(captured->device + (host - captured->host)), captured);
    return true;
}

uintptr_t nw_attach_address(nw_decision_t *d, int32_t i, char *host)
{
    nw_mapping_t *mapping;
    if (nw_map_table_lookup(d->table, host, 0, &mapping) != NW_PRESENT)
        return (uintptr_t)host;
    nw_step_t *step = nw_decision_use(d, i, mapping, host, 0);
    step->entry = -1;
    return (uintptr_t)step->device;
}
