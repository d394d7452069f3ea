/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and fills by address: omp_target_memcpy, _rect, omp_target_memset, and their asynchronous forms. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "core/transfer.h"
#include "omptarget/device_number.h"
#include "omptarget/omptarget.h"
#include "support/export.h"
#include "support/log.h"
#include "support/reason.h"
#include "tasking/transfer_task.h"

enum { DONE = 0, FAILED = -1 };

/* Dimensions and dependences that need no heap. */
#define FEW_DIMS 8
#define FEW_DEPS 16

/* Sets one end; false after one line if there is no such device. */
static bool set_end(int number, const char *routine, nw_core_device_t **device_p)
{
    *device_p = nw_device_number_is_host(number) ? NULL : nw_device_number_open(number, routine);
    return *device_p || nw_device_number_is_host(number);
}

static bool set_both_ends(nw_transfer_t *transfer, int to_device, int from_device, const char *routine)
{
    if (!set_end(to_device, routine, &transfer->to_device) || !set_end(from_device, routine, &transfer->from_device))
        return false;
    nw_transfer_classify(transfer, false);
    return true;
}

static int run_now(const nw_transfer_t *transfer, const char *routine)
{
    nw_tool_data_op_t told;
    bool tells = nw_tool_attached() && transfer->kind != NW_TRANSFER_FILL &&
                 (transfer->to_device || transfer->from_device);
    if (tells)
        told = nw_tool_data_op_begin(transfer->from_device ? NW_OMPT_FROM_DEVICE : NW_OMPT_TO_DEVICE, transfer->to,
                                     transfer->to_device, transfer->from, transfer->from_device,
                                     transfer->run * transfer->n_runs);
    nw_status_t status = nw_transfer_run(transfer);
    if (tells)
        nw_tool_data_op(&told, NW_OMPT_END);
    if (status == NW_OK)
        return DONE;
    const char *why = nw_reason_take(NULL);
    nw_log(NW_LOG_ERROR, "%s: %s%s%s", routine, nw_status_text(status), why ? ": " : "", why ? why : "");
    return FAILED;
}

/*
 * Starts the transfer as a target task that depends on what the depend objects name. An omp_depend_t points behind the
 * first of an array of libomp's dependences, whose base is their number (clang's depobj construct).
 */
static int start(const nw_transfer_t *transfer, int n_objects, omp_depend_t *objects, const char *routine)
{
    struct nowait_depend_info few[FEW_DEPS], *deps = few;
    size_t n = 0;
    if (n_objects < 0 || (n_objects > 0 && !objects)) {
        nw_log(NW_LOG_ERROR, "%s: %d depend objects at address %p", routine, n_objects, (void *)objects);
        return FAILED;
    }
    for (int i = 0; i < n_objects; i++) {
        if (!objects[i]) {
            nw_log(NW_LOG_ERROR, "%s: depend object %d has not been initialised by a depobj construct", routine, i);
            return FAILED;
        }
        n += (size_t)((struct nowait_depend_info *)objects[i])[-1].base;
    }
    if (n > INT32_MAX || (n > FEW_DEPS && !(deps = malloc(n * sizeof *deps)))) {
        nw_log(NW_LOG_ERROR, "%s: no room for %zu dependences", routine, n);
        return FAILED;
    }
    n = 0;
    for (int i = 0; i < n_objects; i++) {
        const struct nowait_depend_info *first = objects[i];
        memcpy(&deps[n], first, (size_t)first[-1].base * sizeof *deps);
        n += (size_t)first[-1].base;
    }
    nw_transfer_task_start(transfer, (int32_t)n, deps);
    if (deps != few)
        free(deps);
    return DONE;
}

static bool addresses_given(const void *to, const void *from, const char *routine)
{
    if (to && from)
        return true;
    nw_log(NW_LOG_ERROR, "%s: an address is null", routine);
    return false;
}

NW_EXPORT int omp_target_memcpy(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset,
                                int to_device, int from_device)
{
    NW_TOOL_ENTER();
    static const char routine[] = "omp_target_memcpy";
    if (size == 0)
        return DONE;
    if (!addresses_given(to, from, routine))
        return FAILED;
    nw_transfer_t transfer = {
        .to = (char *)to + to_offset, .from = (const char *)from + from_offset, .run = size, .n_runs = 1};
    return set_both_ends(&transfer, to_device, from_device, routine) ? run_now(&transfer, routine) : FAILED;
}

/* A copy of nothing still is a task, since it passes an order on between those that depend like it. */
NW_EXPORT int omp_target_memcpy_async(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset,
                                      int to_device, int from_device, int n_objects, omp_depend_t *objects)
{
    NW_TOOL_ENTER();
    static const char routine[] = "omp_target_memcpy_async";
    if (!addresses_given(to, from, routine))
        return FAILED;
    nw_transfer_t transfer = {
        .to = (char *)to + to_offset, .from = (const char *)from + from_offset, .run = size, .n_runs = 1};
    if (!set_both_ends(&transfer, to_device, from_device, routine))
        return FAILED;
    return start(&transfer, n_objects, objects, routine);
}

/* The arguments of a rectangular copy that say where, outermost dimension first. */
typedef struct rectangle {
    size_t element_size;
    int n_dims;
    const size_t *volume, *to_offsets, *from_offsets, *to_dimensions, *from_dimensions;
} rectangle_t;

/* *product_p *= factor; false if that is more than memory has bytes. */
static bool times(size_t *product_p, size_t factor)
{
    return !__builtin_mul_overflow(*product_p, factor, product_p);
}

/*
 * Turns the rectangle into a transfer's runs; dims has room for n_dims - 1. As many innermost dimensions as are copied
 * whole on both sides make one run. False if a size overflows.
 */
static bool lay_out(const rectangle_t *r, nw_transfer_t *transfer, nw_transfer_dim_t *dims)
{
    size_t to_stride = r->element_size, from_stride = r->element_size;
    int last = r->n_dims - 1;
    bool whole = true, fits = true;
    transfer->run = r->element_size;
    transfer->n_runs = 1;
    transfer->n_dims = 0;
    for (int k = last; k >= 0 && fits; k--) {
        transfer->to += r->to_offsets[k] * to_stride;
        transfer->from += r->from_offsets[k] * from_stride;
        if (k == last || whole) {
            fits = times(&transfer->run, r->volume[k]);
        } else {
            /* Innermost first for now. */
            dims[transfer->n_dims++] = (nw_transfer_dim_t){r->volume[k], to_stride, from_stride};
            fits = times(&transfer->n_runs, r->volume[k]);
        }
        whole = whole && r->volume[k] == r->to_dimensions[k] && r->volume[k] == r->from_dimensions[k];
        /* The outermost dimension's own extents say nothing about where anything lies. */
        if (k > 0)
            fits = fits && times(&to_stride, r->to_dimensions[k]) && times(&from_stride, r->from_dimensions[k]);
    }
    for (int i = 0, j = transfer->n_dims - 1; i < j; i++, j--) {
        nw_transfer_dim_t swapped = dims[i];
        dims[i] = dims[j];
        dims[j] = swapped;
    }
    transfer->dims = dims;
    return fits;
}

static bool rectangle_given(const rectangle_t *r, const char *routine)
{
    if (r->element_size > 0 && r->n_dims > 0 && r->volume && r->to_offsets && r->from_offsets && r->to_dimensions &&
        r->from_dimensions)
        return true;
    nw_log(NW_LOG_ERROR, "%s: an argument is null or zero", routine);
    return false;
}

/* Lays the rectangle out and carries it out, or starts it. */
static int copy_rectangle(const rectangle_t *r, nw_transfer_t *transfer, bool asynchronous, int n_objects,
                          omp_depend_t *objects, const char *routine)
{
    nw_transfer_dim_t few[FEW_DIMS], *dims = few;
    int result = FAILED;
    if (r->n_dims > FEW_DIMS && !(dims = malloc((size_t)r->n_dims * sizeof *dims))) {
        nw_log(NW_LOG_ERROR, "%s: %s", routine, nw_status_text(NW_ERR_NO_MEMORY));
        return FAILED;
    }
    if (!lay_out(r, transfer, dims))
        nw_log(NW_LOG_ERROR, "%s: the volume has more bytes than memory", routine);
    else
        result = asynchronous ? start(transfer, n_objects, objects, routine) : run_now(transfer, routine);
    if (dims != few)
        free(dims);
    return result;
}

/* What both routines for rectangles do: checks their arguments, then copies. */
static int copy_given_rectangle(const rectangle_t *r, void *to, const void *from, int to_device, int from_device,
                                bool asynchronous, int n_objects, omp_depend_t *objects, const char *routine)
{
    nw_transfer_t transfer = {.to = to, .from = from};
    /* Both addresses null: the question how many dimensions are supported. */
    if (!to && !from)
        return INT_MAX;
    if (!addresses_given(to, from, routine) || !rectangle_given(r, routine) ||
        !set_both_ends(&transfer, to_device, from_device, routine))
        return FAILED;
    return copy_rectangle(r, &transfer, asynchronous, n_objects, objects, routine);
}

NW_EXPORT int omp_target_memcpy_rect(void *to, const void *from, size_t element_size, int n_dims, const size_t *volume,
                                     const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                     const size_t *from_dimensions, int to_device, int from_device)
{
    NW_TOOL_ENTER();
    rectangle_t r = {element_size, n_dims, volume, to_offsets, from_offsets, to_dimensions, from_dimensions};
    return copy_given_rectangle(&r, to, from, to_device, from_device, false, 0, NULL, "omp_target_memcpy_rect");
}

NW_EXPORT int omp_target_memcpy_rect_async(void *to, const void *from, size_t element_size, int n_dims,
                                           const size_t *volume, const size_t *to_offsets, const size_t *from_offsets,
                                           const size_t *to_dimensions, const size_t *from_dimensions, int to_device,
                                           int from_device, int n_objects, omp_depend_t *objects)
{
    NW_TOOL_ENTER();
    rectangle_t r = {element_size, n_dims, volume, to_offsets, from_offsets, to_dimensions, from_dimensions};
    return copy_given_rectangle(&r, to, from, to_device, from_device, true, n_objects, objects,
                                "omp_target_memcpy_rect_async");
}

/* Makes the transfer of a fill; false after one line if there is no such device. */
static bool fill(nw_transfer_t *transfer, void *address, int byte, size_t size, int device, const char *routine)
{
    *transfer = (nw_transfer_t){.to = address, .byte = byte, .run = size, .n_runs = 1};
    if (!set_end(device, routine, &transfer->to_device))
        return false;
    nw_transfer_classify(transfer, true);
    return true;
}

/* These two have no way to report a failure but the line. */
NW_EXPORT void *omp_target_memset(void *address, int byte, size_t size, int device)
{
    NW_TOOL_ENTER();
    static const char routine[] = "omp_target_memset";
    nw_transfer_t transfer;
    if (address && size > 0 && fill(&transfer, address, byte, size, device, routine))
        (void)run_now(&transfer, routine);
    return address;
}

NW_EXPORT void *omp_target_memset_async(void *address, int byte, size_t size, int device, int n_objects,
                                        omp_depend_t *objects)
{
    NW_TOOL_ENTER();
    static const char routine[] = "omp_target_memset_async";
    nw_transfer_t transfer;
    if (address && fill(&transfer, address, byte, size, device, routine))
        (void)start(&transfer, n_objects, objects, routine);
    return address;
}
