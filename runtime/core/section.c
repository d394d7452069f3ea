/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/section.h"

#include <string.h>

#include "nowait/abi.h"

/* One record, as clang lays it out (struct.descriptor_dim). */
typedef struct record {
    uint64_t offset, count, stride;
} record_t;

_Static_assert(sizeof(record_t) == NW_SECTION_RECORD, "struct.descriptor_dim");

/* The records lie in a variable of compiled code, and where they end is what is being found out: a checked build must
 * not object to a look at what follows them. */
__attribute__((no_sanitize("address", "thread"))) static record_t record_at(const void *description, uint32_t i)
{
    const volatile uint64_t *words = (const volatile uint64_t *)description + 3 * (size_t)i;
    return (record_t){words[0], words[1], words[2]};
}

/* Whether record i can be that of the element, behind at least one dimension. */
static bool may_be_last(const record_t *record, uint32_t i)
{
    return i > 0 && record->offset == 0 && record->count == 1;
}

uint32_t nw_section_count_records(const void *description, int64_t size)
{
    uint32_t by_bytes = 0;
    record_t outer = record_at(description, 0);
    if (outer.stride == 0 || outer.stride == NOWAIT_SECTION_PLACED)
        return 0;
    for (uint32_t i = 1; i <= NW_MAX_DIMENSIONS; i++) {
        record_t record = record_at(description, i);
        if (record.stride == NOWAIT_SECTION_PLACED)
            return i + 1;
        /* Inner dimensions are no wider than a step of the outer ones: what does not fit lies behind the end. */
        if (record.stride == 0 || record.stride > outer.stride)
            break;
        if (may_be_last(&record, i) && size == (int64_t)i + 1)
            return i + 1;
        if (may_be_last(&record, i) && !by_bytes && outer.count <= INT64_MAX / record.stride &&
            (int64_t)(outer.count * record.stride) == size)
            by_bytes = i + 1;
        /* A size beyond any number of dimensions is in bytes. */
        if (by_bytes && size > NW_MAX_DIMENSIONS + 1)
            break;
        outer = record;
    }
    return by_bytes;
}

static bool multiply(size_t a, size_t b, size_t *product_p)
{
    return !__builtin_mul_overflow(a, b, product_p);
}

/* Adds a dimension around the runs so far, of which there is at least one. Called from the innermost to the outermost;
 * dimensions are collected in that order. */
static bool add_dimension(nw_section_t *section, size_t count, size_t stride)
{
    size_t step;
    if (!multiply(count - 1, stride, &step) || __builtin_add_overflow(section->extent, step, &section->extent))
        return false;
    if (section->n_dimensions == 0 && stride == section->run)
        return multiply(section->run, count, &section->run);
    if (count == 1)
        return true;
    section->dimensions[section->n_dimensions++] = (nw_dimension_t){.count = count, .stride = stride};
    return multiply(section->n_runs, count, &section->n_runs);
}

static void turn_round(nw_section_t *section)
{
    for (uint32_t i = 0, j = section->n_dimensions; i + 1 < j; i++) {
        nw_dimension_t swapped = section->dimensions[--j];
        section->dimensions[j] = section->dimensions[i];
        section->dimensions[i] = swapped;
    }
}

nw_status_t nw_section_read(const void *description, int64_t size, char *base, nw_section_t *section_p, char **begin_p)
{
    uint32_t n = nw_section_count_records(description, size);
    if (n == 0)
        return NW_ERR_INVALID;
    record_t last = record_at(description, n - 1);
    bool placed = last.stride == NOWAIT_SECTION_PLACED;
    size_t element = placed ? last.count : last.stride, distance = 0;
    *section_p = (nw_section_t){.run = element, .n_runs = 1, .extent = element, .placed = placed};
    for (uint32_t i = n - 1; i-- > 0;) {
        record_t record = record_at(description, i);
        /* The size of the innermost dimension's unit is known, that of the others is taken for their step. */
        size_t unit = i == n - 2 ? element : record.stride, offset;
        if (record.count == 0 || element == 0)
            section_p->extent = 0;
        if (section_p->extent > 0 && !add_dimension(section_p, record.count, record.stride))
            return NW_ERR_INVALID;
        if (!placed && (!multiply(record.offset, unit, &offset) || __builtin_add_overflow(distance, offset, &distance)))
            return NW_ERR_INVALID;
    }
    turn_round(section_p);
    *begin_p = placed ? (char *)(uintptr_t)last.offset : base + distance;
    return NW_OK;
}

size_t nw_section_run_at(const nw_section_t *section, size_t i)
{
    size_t distance = 0;
    for (uint32_t d = section->n_dimensions; d-- > 0;) {
        const nw_dimension_t *dimension = &section->dimensions[d];
        distance += i % dimension->count * dimension->stride;
        i /= dimension->count;
    }
    return distance;
}
