/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/capture.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/map_types.h"
#include "core/section.h"
#include "support/log.h"

/* What lies further behind the last pointer than this is not saved, and the whole is no larger than the second. */
#define REACH ((size_t)64 << 10)
#define LARGEST_SNAPSHOT ((size_t)1 << 20)

struct nw_captured {
    const char *from; /* the stack address of bytes[0]; NULL: saved by nw_capture_arguments */
    size_t size;
    _Alignas(64) char bytes[];
};

/* The variable's own alignment is not known; this one serves any type. */
static size_t round_up(size_t size)
{
    return (size + 63) / 64 * 64;
}

static bool is_description(uint64_t type)
{
    return (type & NW_MAP_NON_CONTIGUOUS) != 0;
}

static bool travels_by_address(uint64_t type)
{
    return is_description(type) || ((type & NW_MAP_PRIVATE) && (type & NW_MAP_TO) && !(type & NW_MAP_LITERAL));
}

/* Bytes that entry i's value takes where it is readable. */
static size_t size_of(const nw_map_args_t *args, int32_t i, const void *value)
{
    if (is_description(args->types[i]))
        return nw_section_count_records(value, args->sizes[i]) * (size_t)NW_SECTION_RECORD;
    return (size_t)args->sizes[i];
}

bool nw_capture_needed(const nw_map_args_t *args)
{
    for (int32_t i = 0; i < args->n; i++) {
        if (travels_by_address(args->types[i]))
            return true;
    }
    return false;
}

static nw_captured_t *new_captured(size_t size)
{
    nw_captured_t *captured;
    if (posix_memalign((void **)&captured, 64, sizeof *captured + size) != 0)
        return NULL;
    captured->from = NULL;
    captured->size = size;
    return captured;
}

/* What is a member of entry i, such as a lambda's captures, moves with it: its base is its place in the object. Of a
 * captured `this` clang gives that place as the pointer, too. */
static void move_members(const nw_map_args_t *args, int32_t i, ptrdiff_t distance)
{
    for (int32_t k = 0; k < args->n; k++) {
        if ((int32_t)(args->types[k] >> 48) - 1 != i)
            continue;
        char *moved = (char *)args->bases[k] + distance;
        if (args->ptrs[k] == args->bases[k])
            args->ptrs[k] = moved;
        args->bases[k] = moved;
    }
}

/* Points entry i's base and begin, which may differ, at another copy of the variable; of a section, the description,
 * whose base is the data's. */
static void redirect(const nw_map_args_t *args, int32_t i, char *copy)
{
    if (!is_description(args->types[i])) {
        ptrdiff_t distance = copy - (char *)args->ptrs[i];
        args->bases[i] = (char *)args->bases[i] + distance;
        move_members(args, i, distance);
    }
    args->ptrs[i] = copy;
}

nw_captured_t *nw_capture_arguments(const nw_map_args_t *args)
{
    size_t size = 0;
    for (int32_t i = 0; i < args->n; i++)
        size += travels_by_address(args->types[i]) ? round_up(size_of(args, i, args->ptrs[i])) : 0;
    nw_captured_t *captured = new_captured(size);
    if (!captured)
        return NULL;
    char *copy = captured->bytes;
    for (int32_t i = 0; i < args->n; i++) {
        if (!travels_by_address(args->types[i]))
            continue;
        size_t bytes = size_of(args, i, args->ptrs[i]);
        memcpy(copy, args->ptrs[i], bytes);
        redirect(args, i, copy);
        copy += round_up(bytes);
    }
    return captured;
}

/* Asks for the calling thread's stack. For the initial thread the C library reads and parses the list of all memory
 * regions, so each thread asks once. */
static bool look_for_stack(const char **lowest_p, const char **end_p)
{
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return false;
    bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
    pthread_attr_destroy(&attributes);
    *lowest_p = lowest;
    *end_p = (const char *)lowest + size;
    return known;
}

/* The stack of the calling thread above this frame. */
static bool stack_range(const char **begin_p, const char **end_p)
{
    static _Thread_local struct {
        bool asked;
        const char *lowest, *end;
    } stack;
    if (NW_UNLIKELY(!stack.asked)) {
        stack.asked = true;
        if (!look_for_stack(&stack.lowest, &stack.end))
            stack.lowest = stack.end = NULL;
    }
    *begin_p = __builtin_frame_address(0);
    *end_p = stack.end;
    return *begin_p >= stack.lowest && *begin_p < stack.end;
}

/* A stack holds bytes that no variable owns; a checked build must not object to copying them. */
__attribute__((no_sanitize("address", "thread"))) static void copy_stack(char *to, const char *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile char *)to)[i] = from[i];
}

nw_captured_t *nw_capture_stack(const void *begin, size_t size)
{
    const char *stack, *stack_end, *lowest = NULL, *highest = NULL;
    if (!stack_range(&stack, &stack_end))
        return NULL;
    for (size_t at = 0; at + sizeof(char *) <= size; at += sizeof(char *)) {
        const char *pointer;
        memcpy(&pointer, (const char *)begin + at, sizeof pointer);
        if (pointer < stack || pointer >= stack_end)
            continue;
        lowest = !lowest || pointer < lowest ? pointer : lowest;
        highest = !highest || pointer > highest ? pointer : highest;
    }
    if (!lowest)
        return NULL;
    size_t length = (size_t)(highest - lowest) + REACH;
    if (length > (size_t)(stack_end - lowest))
        length = (size_t)(stack_end - lowest);
    if (length > LARGEST_SNAPSHOT)
        length = LARGEST_SNAPSHOT;
    nw_captured_t *captured = new_captured(length);
    if (!captured)
        return NULL;
    captured->from = lowest;
    copy_stack(captured->bytes, lowest, length);
    return captured;
}

void nw_capture_redirect(const nw_captured_t *captured, const nw_map_args_t *args)
{
    for (int32_t i = 0; i < args->n; i++) {
        const char *host = args->ptrs[i];
        if (!travels_by_address(args->types[i]) || host < captured->from ||
            (size_t)(host - captured->from) > captured->size)
            continue;
        char *copy = (char *)(uintptr_t)captured->bytes + (host - captured->from);
        /* The longest description, as its records can only be counted where they are whole. */
        size_t needed = is_description(args->types[i]) ? (NW_MAX_DIMENSIONS + 1) * (size_t)NW_SECTION_RECORD
                                                       : (size_t)args->sizes[i];
        if (needed <= captured->size - (size_t)(host - captured->from))
            redirect(args, i, copy);
    }
}

void nw_capture_free(nw_captured_t *captured)
{
    free(captured);
}
