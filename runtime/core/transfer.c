/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "support/log.h"

/* True if the device can't be reached by the host's own loads and stores. */
static bool is_far(const nw_core_device_t *device)
{
    return device && !device->base.ops->memory_is_host;
}

void nw_transfer_classify(nw_transfer_t *transfer, bool fill)
{
    bool to_far = is_far(transfer->to_device), from_far = is_far(transfer->from_device);
    if (fill)
        transfer->kind = NW_TRANSFER_FILL;
    else if (to_far && !from_far)
        transfer->kind = NW_TRANSFER_IN;
    else if (!to_far && from_far)
        transfer->kind = NW_TRANSFER_OUT;
    else if (to_far && transfer->to_device->base.ops != transfer->from_device->base.ops)
        transfer->kind = NW_TRANSFER_THROUGH_HOST;
    else
        transfer->kind = NW_TRANSFER_WITHIN;
}

/* Some device that moves bytes between host addresses beside the program's threads; NULL if there is none. */
static nw_core_device_t *host_mover(void)
{
    for (int i = 0; i < nw_devices_count(); i++) {
        const nw_device_ops_t *ops = nw_devices_peek(i)->base.ops;
        if (ops->memory_is_host && ops->moves)
            return nw_devices_get(i);
    }
    return NULL;
}

nw_core_device_t *nw_transfer_carrier(const nw_transfer_t *transfer)
{
    nw_core_device_t *device = transfer->to_device ? transfer->to_device : transfer->from_device;
    switch (transfer->kind) {
    case NW_TRANSFER_IN:
        return transfer->to_device;
    case NW_TRANSFER_OUT:
        return transfer->from_device;
    case NW_TRANSFER_WITHIN:
    case NW_TRANSFER_FILL:
        return !device ? host_mover() : device->base.ops->moves ? device : NULL;
    case NW_TRANSFER_THROUGH_HOST:
        break;
    }
    return NULL;
}

/* Where run i lies, from the transfer's begin on both sides. */
static void place_of(const nw_transfer_t *transfer, size_t i, size_t *to_p, size_t *from_p)
{
    *to_p = *from_p = 0;
    for (int d = transfer->n_dims - 1; d >= 0; d--) {
        const nw_transfer_dim_t *dim = &transfer->dims[d];
        *to_p += i % dim->n * dim->to_stride;
        *from_p += i % dim->n * dim->from_stride;
        i /= dim->n;
    }
}

static nw_status_t run_through_host(const nw_transfer_t *transfer, char *to, const char *from)
{
    nw_device_t *to_device = &transfer->to_device->base, *from_device = &transfer->from_device->base;
    char *middle = malloc(transfer->run);
    if (!middle)
        return NW_ERR_NO_MEMORY;
    nw_status_t status = from_device->ops->copy_out(from_device, middle, from, transfer->run);
    if (status == NW_OK)
        status = to_device->ops->copy_in(to_device, to, middle, transfer->run);
    free(middle);
    return status;
}

static nw_status_t run_one(const nw_transfer_t *transfer, char *to, const char *from)
{
    nw_device_t *to_device = transfer->to_device ? &transfer->to_device->base : NULL;
    size_t size = transfer->run;
    switch (transfer->kind) {
    case NW_TRANSFER_IN:
        return to_device->ops->copy_in(to_device, to, from, size);
    case NW_TRANSFER_OUT:
        return transfer->from_device->base.ops->copy_out(&transfer->from_device->base, to, from, size);
    case NW_TRANSFER_WITHIN:
        if (is_far(transfer->to_device))
            return to_device->ops->copy_within(to_device, to, from, size);
        /* The two ranges of a copy may overlap. */
        memmove(to, from, size);
        return NW_OK;
    case NW_TRANSFER_FILL:
        if (to_device)
            return to_device->ops->fill(to_device, to, transfer->byte, size);
        memset(to, transfer->byte, size);
        return NW_OK;
    case NW_TRANSFER_THROUGH_HOST:
        return run_through_host(transfer, to, from);
    }
    return NW_ERR_INVALID;
}

nw_status_t nw_transfer_run(const nw_transfer_t *transfer)
{
    nw_status_t status = NW_OK;
    for (size_t i = 0; i < transfer->n_runs && transfer->run > 0 && status == NW_OK; i++) {
        size_t to, from;
        place_of(transfer, i, &to, &from);
        /* A fill comes from nowhere. */
        status = run_one(transfer, transfer->to + to, transfer->from ? transfer->from + from : NULL);
    }
    return status;
}

void nw_transfer_decide(nw_op_t *op, const nw_transfer_t *transfer)
{
    op->transfer = transfer;
    if (transfer->run > 0 && transfer->n_runs > 0) {
        op->needs_device = true;
        op->work.copies_in = transfer->kind == NW_TRANSFER_IN;
        op->work.copies_out = transfer->kind == NW_TRANSFER_OUT;
        op->work.moves = !op->work.copies_in && !op->work.copies_out;
    }
    NW_ASSERT_ALWAYS(nw_op_move(op, NW_OP_IDLE, NW_OP_SUBMITTED));
}

bool nw_transfer_next_chunk(const nw_transfer_t *transfer, bool in, nw_cursor_t *cursor, nw_chunk_t *chunk_p)
{
    if (transfer->kind != (in ? NW_TRANSFER_IN : NW_TRANSFER_OUT) || cursor->offset >= transfer->n_runs)
        return false;
    size_t to, from;
    place_of(transfer, cursor->offset++, &to, &from);
    char *to_address = transfer->to + to, *from_address = (char *)(uintptr_t)transfer->from + from;
    *chunk_p = (nw_chunk_t){.host = in ? from_address : to_address,
                            .device = in ? to_address : from_address,
                            .size = transfer->run};
    return true;
}

bool nw_transfer_next_move(const nw_transfer_t *transfer, nw_cursor_t *cursor, nw_move_t *move_p)
{
    bool fill = transfer->kind == NW_TRANSFER_FILL;
    if ((!fill && transfer->kind != NW_TRANSFER_WITHIN) || cursor->offset >= transfer->n_runs)
        return false;
    size_t to, from;
    place_of(transfer, cursor->offset++, &to, &from);
    *move_p = (nw_move_t){.to = transfer->to + to,
                          .from = fill ? NULL : transfer->from + from,
                          .size = transfer->run,
                          .byte = transfer->byte};
    return true;
}
