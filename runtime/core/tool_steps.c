/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a tool is told about the steps of an operation: maps, allocations, transfers, the launch, deletions. */
#include <stdlib.h>

#include "core/map_types.h"
#include "core/tool_call.h"

/* Map entries whose arrays lie on the stack. */
#define STACK_MAPS 32

static nw_tool_data_op_t to_device(const nw_op_t *op, nw_ompt_data_op_t kind, const void *host, const void *device,
                                   size_t bytes)
{
    return (nw_tool_data_op_t){.op = kind,
                               .from = host,
                               .from_device = nw_devices_count(),
                               .to = device,
                               .to_device = op->work.device->number,
                               .bytes = bytes};
}

/* Memory that exists already: its address is known at the end only, as in an allocation told while it happens. */
static void tell_allocation(nw_op_t *op, const void *host, const void *device, size_t bytes)
{
    nw_tool_data_op_t told = to_device(op, NW_OMPT_ALLOC, host, NULL, bytes);
    nw_tool_tell_data(&told, NW_OMPT_BEGIN, op->work.tool);
    told.to = device;
    nw_tool_tell_data(&told, NW_OMPT_END, op->work.tool);
}

/* A firstprivate variable's memory, and its bytes if they were put there when the construct was decided. */
static void tell_private(nw_op_t *op, const nw_step_t *step)
{
    tell_allocation(op, step->host, step->device, step->size);
    if (!(step->flags & NW_STEP_STAGED))
        return;
    nw_tool_data_op_t told =
        to_device(op, NW_OMPT_TO_DEVICE, step->host, step->device + step->value, step->size - step->value);
    nw_tool_tell_data(&told, NW_OMPT_BEGIN, op->work.tool);
    nw_tool_tell_data(&told, NW_OMPT_END, op->work.tool);
}

/* Tells the allocations of the steps before `end`. */
static void tell_allocations(nw_op_t *op, uint32_t end)
{
    nw_tool_region_t *region = op->work.tool;
    for (; region->n_told < end; region->n_told++) {
        const nw_step_t *step = &op->work.steps[region->n_told];
        nw_mapping_t *mapping = step->mapping;
        if (!mapping && (step->flags & NW_STEP_OWNED))
            tell_private(op, step);
        if (!mapping || mapping->born != op->construct || mapping->told || mapping->block_size == 0)
            continue;
        /* Nobody but the operation that made the mapping looks at this. */
        mapping->told = true;
        tell_allocation(op, mapping->host, mapping->device, (size_t)(mapping->host_end - mapping->host));
    }
}

void nw_tool_allocations(nw_op_t *op)
{
    tell_allocations(op, op->work.n_steps);
}

static unsigned map_flags(uint64_t type, nw_construct_kind_t kind)
{
    unsigned flags = type & NW_MAP_IMPLICIT ? NW_OMPT_MAP_IMPLICIT : 0;
    if (type & NW_MAP_DELETE)
        flags |= NW_OMPT_MAP_DELETE;
    else if (!(type & (NW_MAP_TO | NW_MAP_FROM)))
        flags |= kind == NW_DATA_END ? NW_OMPT_MAP_RELEASE : NW_OMPT_MAP_ALLOC;
    return flags | (type & NW_MAP_TO ? NW_OMPT_MAP_TO : 0u) | (type & NW_MAP_FROM ? NW_OMPT_MAP_FROM : 0u);
}

/* Where entry i's bytes are on the device; NULL: nowhere. *s_p: the step from which on to look; steps are in the order
 * of their entries, those apart that belong to none. */
static void *device_address(const nw_op_t *op, const nw_map_args_t *args, int32_t i, uint32_t *s_p)
{
    for (; *s_p < op->work.n_steps; ++*s_p) {
        const nw_step_t *step = &op->work.steps[*s_p];
        if (step->entry > i)
            break;
        if (step->entry == i && step->mapping && !(step->flags & NW_STEP_IS_POINTER))
            return step->mapping->device + ((char *)args->ptrs[i] - step->mapping->host);
    }
    return NULL;
}

static void tell_maps(nw_op_t *op, nw_construct_kind_t kind, const nw_map_args_t *args)
{
    struct map_arrays {
        void *host[STACK_MAPS], *device[STACK_MAPS];
        size_t bytes[STACK_MAPS];
        unsigned flags[STACK_MAPS];
    } arrays;
    nw_tool_region_t *region = op->work.tool;
    unsigned n = 0;
    uint32_t step = 0;
    /* Entries beyond the arrays are told by further calls. */
    for (int32_t i = 0; i <= args->n; i++) {
        if (n > 0 && (n == STACK_MAPS || i == args->n)) {
            if (nw_tool.target_map_emi)
                NW_TELL(target_map_emi, &region->target, n, arrays.host, arrays.device, arrays.bytes, arrays.flags,
                        region->codeptr);
            else
                NW_TELL(target_map, region->target.value, n, arrays.host, arrays.device, arrays.bytes, arrays.flags,
                        region->codeptr);
            n = 0;
        }
        if (i == args->n || (args->types[i] & (NW_MAP_LITERAL | NW_MAP_PRIVATE | NW_MAP_ATTACH)))
            continue;
        arrays.host[n] = args->ptrs[i];
        arrays.device[n] = device_address(op, args, i, &step);
        arrays.bytes[n] = (size_t)args->sizes[i];
        arrays.flags[n] = map_flags(args->types[i], kind);
        n++;
    }
}

void nw_tool_decided(nw_op_t *op, nw_construct_kind_t kind, const nw_map_args_t *args)
{
    if ((nw_tool.target_map_emi || nw_tool.target_map) && kind != NW_DATA_UPDATE)
        tell_maps(op, kind, args);
    if (!op->waited_for)
        nw_tool_allocations(op);
}

/* A step's transfer. A pointer store is told as the transfer of the host's pointer that it stands for. */
static void tell_transfer(nw_op_t *op, const nw_step_t *step, bool in, nw_ompt_scope_t scope)
{
    size_t bytes = step->flags & NW_STEP_SECTION ? step->section->n_runs * step->section->run : step->size;
    nw_tool_data_op_t told = to_device(op, NW_OMPT_TO_DEVICE, step->host, step->device, bytes);
    if (!in)
        told = (nw_tool_data_op_t){.op = NW_OMPT_FROM_DEVICE,
                                   .from = step->device,
                                   .from_device = op->work.device->number,
                                   .to = step->host,
                                   .to_device = nw_devices_count(),
                                   .bytes = bytes};
    nw_tool_tell_data(&told, scope, op->work.tool);
}

void nw_tool_copies(nw_op_t *op, const nw_cursor_t *before, const nw_cursor_t *now, bool in)
{
    uint32_t n = op->work.n_steps;
    if (now && before->step == now->step && before->offset > 0)
        return;
    if (before->offset > 0)
        tell_transfer(op, &op->work.steps[in ? before->step : n - 1 - before->step], in, NW_OMPT_END);
    if (in)
        tell_allocations(op, now ? now->step + 1 : n);
    if (now)
        tell_transfer(op, &op->work.steps[in ? now->step : n - 1 - now->step], in, NW_OMPT_BEGIN);
}

void nw_tool_transfer(nw_op_t *op, nw_transfer_kind_t kind, const nw_cursor_t *before, bool more)
{
    const nw_transfer_t *transfer = op->transfer;
    bool begins = before->offset == 0;
    if (!transfer || transfer->kind != kind || (!transfer->to_device && !transfer->from_device) || (more && !begins))
        return;
    nw_tool_data_op_t told = {
        .op = transfer->from_device ? NW_OMPT_FROM_DEVICE : NW_OMPT_TO_DEVICE,
        .from = transfer->from,
        .from_device = transfer->from_device ? transfer->from_device->base.number : nw_devices_count(),
        .to = transfer->to,
        .to_device = transfer->to_device ? transfer->to_device->base.number : nw_devices_count(),
        .bytes = transfer->run * transfer->n_runs,
    };
    nw_tool_tell_data(&told, more ? NW_OMPT_BEGIN : NW_OMPT_END, op->work.tool);
}

void nw_work_tell_launch(nw_work_t *work, bool begins)
{
    nw_tool_region_t *region = work->tool;
    unsigned teams = (unsigned)work->launch.num_teams;
    nw_tool_allocations((nw_op_t *)work);
    if (begins)
        nw_tool_self.host_op_id = 0;
    if (nw_tool.target_submit_emi)
        NW_TELL(target_submit_emi, begins ? NW_OMPT_BEGIN : NW_OMPT_END, &region->target, &nw_tool_self.host_op_id,
                teams);
    else if (begins)
        NW_TELL(target_submit, region->target.value, nw_tool_new_id(), teams);
}

void nw_tool_take_block(nw_step_t *step)
{
    nw_mapping_t *mapping = step->mapping;
    if (mapping->live || mapping->users != 1 || !mapping->block)
        return;
    step->flags = NW_STEP_OWNED;
    step->host = mapping->block;
    step->value = mapping->block_size;
    step->device = mapping->device;
    step->size = (size_t)(mapping->host_end - mapping->host);
    mapping->block = NULL;
}

/* A step's memory: that of a private variable, or of the mapping that it has taken over. */
static void free_block(nw_op_t *op, const nw_step_t *step)
{
    nw_device_t *device = op->work.device;
    nw_tool_data_op_t told = {.op = NW_OMPT_DELETE,
                              .from = step->device,
                              .from_device = device->number,
                              .to_device = -1,
                              .bytes = step->size};
    nw_tool_tell_data(&told, NW_OMPT_BEGIN, op->work.tool);
    if (step->mapping)
        device->ops->free(device, step->host, step->value);
    else
        device->ops->free(device, step->device, step->size);
    nw_tool_tell_data(&told, NW_OMPT_END, op->work.tool);
}

void nw_tool_free_blocks(nw_op_t *op)
{
    for (uint32_t i = 0; i < op->work.n_steps; i++) {
        nw_step_t *step = &op->work.steps[i];
        if (step->flags & NW_STEP_OWNED)
            free_block(op, step);
        step->flags &= ~(uint32_t)NW_STEP_OWNED;
    }
}
