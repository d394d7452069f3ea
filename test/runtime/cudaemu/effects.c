/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/effects.h"

#include <string.h>

#include "cudaemu/memory.h"
#include "cudaemu/module.h"

/* Bytes that are copied or filled at once, whoever sees that they are due. */
enum { SMALL = 4096 };

static size_t bytes_of_copy(const copy_command_t *copy)
{
    return copy->width * copy->rows * copy->slices;
}

bool emu_takes_time(const command_t *command)
{
    switch (command->kind) {
    case COMMAND_KERNEL:
        return emu_function_is_code(command->kernel.function);
    case COMMAND_COPY:
        return bytes_of_copy(&command->copy) > SMALL;
    case COMMAND_FILL:
        return command->fill.width * command->fill.element * command->fill.rows > SMALL;
    case COMMAND_HOST:
        return true;
    default:
        return false;
    }
}

static void do_copy(const copy_command_t *copy)
{
    for (size_t z = 0; z < copy->slices; z++) {
        for (size_t y = 0; y < copy->rows; y++)
            memmove(copy->to + z * copy->to_slice + y * copy->to_pitch,
                    copy->from + z * copy->from_slice + y * copy->from_pitch, copy->width);
    }
}

static void do_fill(const fill_command_t *fill)
{
    for (size_t y = 0; y < fill->rows; y++) {
        char *row = fill->to + y * fill->pitch;
        if (fill->element == 1) {
            memset(row, (int)fill->value, fill->width);
            continue;
        }
        for (size_t x = 0; x < fill->width; x++)
            memcpy(row + x * fill->element, &fill->value, fill->element);
    }
}

static void do_write(const value_command_t *write)
{
    /* Release: who sees the word sees what the stream did before. */
    if (write->size == 4)
        atomic_store_explicit((_Atomic uint32_t *)write->address, (uint32_t)write->value, memory_order_release);
    else
        atomic_store_explicit((_Atomic uint64_t *)write->address, write->value, memory_order_release);
}

bool emu_word_is_right(const value_command_t *wait)
{
    uint32_t word = atomic_load_explicit((_Atomic uint32_t *)wait->address, memory_order_acquire);
    uint32_t value = (uint32_t)wait->value;
    switch (wait->flags & 3u) {
    case CU_STREAM_WAIT_VALUE_EQ:
        return word == value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (word & value) != 0;
    case CU_STREAM_WAIT_VALUE_NOR:
        return ~(word | value) != 0;
    default:
        return (int32_t)(word - value) >= 0;
    }
}

static void do_host(stream_t *stream, const host_command_t *host)
{
    CUresult broken = emu_context_broken(stream->context);
    if (host->callback)
        host->callback(stream, broken, host->data);
    else if (broken == CUDA_SUCCESS)
        host->function(host->data);
}

void emu_perform(stream_t *stream, command_t *command)
{
    switch (command->kind) {
    case COMMAND_KERNEL:
        emu_function_run(&command->kernel);
        break;
    case COMMAND_COPY:
        do_copy(&command->copy);
        break;
    case COMMAND_FILL:
        do_fill(&command->fill);
        break;
    case COMMAND_WRITE:
        do_write(&command->value);
        break;
    case COMMAND_HOST:
        do_host(stream, &command->host);
        break;
    case COMMAND_FREE:
        emu_memory_free_ordered(command->freed);
        break;
    case COMMAND_RECORD:
    case COMMAND_WAIT:
    case COMMAND_WAIT_VALUE:
        break; /* the timeline's own */
    }
}

/* The bytes that rows and slices span, or 0 if there are none. */
static size_t span(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice)
{
    return width && rows && slices ? (slices - 1) * slice + (rows - 1) * pitch + width : 0;
}

bool emu_memory_is_there(const command_t *command)
{
    if (command->kind == COMMAND_COPY) {
        const copy_command_t *copy = &command->copy;
        size_t to = span(copy->width, copy->rows, copy->slices, copy->to_pitch, copy->to_slice);
        size_t from = span(copy->width, copy->rows, copy->slices, copy->from_pitch, copy->from_slice);
        return (copy->direction == COPY_OUT || emu_memory_still(copy->to, to)) &&
               (copy->direction == COPY_IN || emu_memory_still(copy->from, from));
    }
    if (command->kind == COMMAND_FILL) {
        const fill_command_t *fill = &command->fill;
        return emu_memory_still(fill->to, span(fill->width * fill->element, fill->rows, 1, fill->pitch, 0));
    }
    return true;
}
