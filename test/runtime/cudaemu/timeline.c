/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "cudaemu/context.h"
#include "cudaemu/effects.h"
#include "cudaemu/executor.h"
#include "cudaemu/settings.h"
#include "cudaemu/stream.h"
#include "cudaemu/timer.h"

/* A thread that waits for a marker, on its own stack. */
typedef struct sleeper {
    _Atomic uint32_t woken;
    struct sleeper *next;
} sleeper_t;

static command_t *free_commands;
static marker_t *free_markers;
/* Streams whose first command may be able to begin or to end. */
static stream_t *ready;
/* Streams that wait for a word in memory. */
static stream_t *polled;

/* --- commands and markers ------------------------------------------------------------------------------------- */

command_t *emu_command_new(command_kind_t kind)
{
    command_t *command = free_commands;
    if (command)
        free_commands = command->next;
    else
        command = emu_alloc(sizeof *command);
    memset(command, 0, offsetof(command_t, kernel.few));
    command->kind = kind;
    return command;
}

void emu_command_free(command_t *command)
{
    if (command->kind == COMMAND_COPY)
        free(command->copy.staged);
    if (command->kind == COMMAND_KERNEL)
        free(command->kernel.arguments);
    command->next = free_commands;
    free_commands = command;
}

static marker_t *marker_new(stream_t *stream)
{
    marker_t *marker = free_markers;
    if (marker)
        free_markers = marker->next_free;
    else
        marker = emu_alloc(sizeof *marker);
    *marker = (marker_t){.refs = 1, .stream = stream};
    return marker;
}

void emu_marker_release(marker_t *marker)
{
    if (!marker || --marker->refs > 0)
        return;
    marker->next_free = free_markers;
    free_markers = marker;
}

static void make_ready(stream_t *stream)
{
    stream->state = STREAM_READY;
    stream->next_waiting = ready;
    ready = stream;
}

static void marker_done(marker_t *marker, uint64_t when)
{
    marker->done = true;
    marker->when = when;
    while (marker->streams) {
        stream_t *stream = marker->streams;
        marker->streams = stream->next_waiting;
        make_ready(stream);
    }
    for (sleeper_t *sleeper = marker->sleepers, *next; sleeper; sleeper = next) {
        next = sleeper->next;
        emu_wake(&sleeper->woken);
    }
    marker->sleepers = NULL;
}

static void unlink_stream(stream_t **list, stream_t *stream)
{
    while (*list && *list != stream)
        list = &(*list)->next_waiting;
    if (*list)
        *list = stream->next_waiting;
}

/* --- the first command of a stream ---------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Takes room on the device for a kernel, or lines up for it. */
static bool kernel_has_room(stream_t *stream)
{
    context_t *context = stream->context;
    if (emu_settings.concurrency == 0 || context->running < emu_settings.concurrency) {
        context->running++;
        return true;
    }
    stream->state = STREAM_NO_ROOM;
    stream->next_waiting = NULL;
    *context->last_without_room = stream;
    context->last_without_room = &stream->next_waiting;
    return false;
}

static void give_back_room(context_t *context, uint64_t when)
{
    if (context->running > 0)
        context->running--;
    stream_t *stream = context->without_room;
    if (!stream)
        return;
    context->without_room = stream->next_waiting;
    if (!context->without_room)
        context->last_without_room = &context->without_room;
    stream->ended = later(stream->ended, when);
    make_ready(stream);
}

static bool may_go_on(stream_t *stream, command_t *command)
{
    if (command->kind == COMMAND_WAIT && !command->marker->done) {
        stream->state = STREAM_WAITS;
        stream->next_waiting = command->marker->streams;
        command->marker->streams = stream;
        return false;
    }
    if (command->kind == COMMAND_WAIT_VALUE && !emu_word_is_right(&command->value)) {
        stream->state = STREAM_POLLS;
        stream->next_waiting = polled;
        polled = stream;
        emu_timer_poll(true);
        return false;
    }
    return command->kind != COMMAND_KERNEL || kernel_has_room(stream);
}

/* Returns false if the command can't begin yet. Sets when it is over. */
static bool begin(stream_t *stream, command_t *command)
{
    context_t *context = stream->context;
    stream->due = later(command->issued, stream->ended);
    command->begun = true;
    if (context->broken && command->kind != COMMAND_HOST)
        return true;
    command->begun = false;
    if (!may_go_on(stream, command))
        return false;
    command->begun = true;
    stream->due = later(command->issued, stream->ended);
    if (command->kind == COMMAND_WAIT)
        stream->due = later(stream->due, command->marker->when);
    if (command->kind == COMMAND_COPY && command->duration) {
        uint64_t *engine = &context->engine_free[command->copy.direction];
        stream->due = later(stream->due, *engine);
        *engine = stream->due + command->duration;
    }
    stream->due += command->duration;
    if (!emu_takes_time(command))
        return true;
    if (!emu_memory_is_there(command))
        return true;
    stream->state = STREAM_EXECUTED;
    command->executed = true;
    emu_execute(stream);
    return false;
}

static CUresult effect(stream_t *stream, command_t *command)
{
    if (command->kind == COMMAND_KERNEL && command->kernel.result != CUDA_SUCCESS)
        return command->kernel.result;
    if (command->executed || stream->context->broken)
        return CUDA_SUCCESS;
    if (!emu_memory_is_there(command))
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (command->kind != COMMAND_KERNEL)
        emu_perform(stream, command);
    return CUDA_SUCCESS;
}

/* Ends the first command and takes it out. */
static void finish(stream_t *stream)
{
    command_t *command = stream->head;
    /* Whatever follows from the effect leaves this stream alone. */
    stream->state = STREAM_EXECUTED;
    CUresult fault = effect(stream, command);
    stream->ended = stream->due;
    if (fault != CUDA_SUCCESS)
        emu_context_break(stream->context, fault);
    if (command->kind == COMMAND_KERNEL && !stream->context->broken)
        give_back_room(stream->context, stream->due);
    if (command->kind == COMMAND_RECORD)
        marker_done(command->marker, stream->due);
    if (command->kind == COMMAND_RECORD || command->kind == COMMAND_WAIT)
        emu_marker_release(command->marker);
    stream->head = command->next;
    if (!stream->head)
        stream->tail = &stream->head;
    if (command->kind == COMMAND_WRITE && polled)
        emu_poll_words();
    emu_command_free(command);
}

static void advance(stream_t *stream, uint64_t now)
{
    while (stream->head) {
        if (!stream->head->begun && !begin(stream, stream->head))
            return;
        if (stream->due > now) {
            stream->state = STREAM_TIMED;
            emu_timer_add(stream);
            return;
        }
        finish(stream);
    }
    stream->state = STREAM_IDLE;
    if (stream->destroyed)
        emu_stream_gone(stream);
}

static void advance_all_ready(uint64_t now)
{
    while (ready) {
        stream_t *stream = ready;
        ready = stream->next_waiting;
        advance(stream, now);
    }
}

/* --- for the rest of the driver ------------------------------------------------------------------------------- */

void emu_issue(stream_t *stream, command_t *command)
{
    command->issued = emu_now();
    command->next = NULL;
    *stream->tail = command;
    stream->tail = &command->next;
    if (command->kind != COMMAND_RECORD)
        stream->issued_since_last = true;
    if (stream->state == STREAM_IDLE) {
        advance(stream, command->issued);
        advance_all_ready(command->issued);
    }
}

void emu_executed(stream_t *stream)
{
    uint64_t now = emu_now();
    stream->due = later(stream->due, now);
    advance(stream, now);
    advance_all_ready(now);
}

void emu_catch_up(stream_t *stream)
{
    uint64_t now = emu_now();
    if (stream && stream->state == STREAM_TIMED) {
        if (stream->due <= now) {
            emu_timer_remove(stream);
            make_ready(stream);
        }
    } else if (!stream || stream->state == STREAM_WAITS || stream->state == STREAM_NO_ROOM) {
        /* What other streams have done may let it go on. */
        while ((stream = emu_timer_take(now)) != NULL) {
            make_ready(stream);
            advance_all_ready(now);
        }
    }
    advance_all_ready(now);
}

void emu_poll_words(void)
{
    stream_t *list = polled;
    polled = NULL;
    while (list) {
        stream_t *stream = list;
        list = stream->next_waiting;
        if (emu_word_is_right(&stream->head->value)) {
            stream->ended = later(stream->ended, emu_now());
            make_ready(stream);
        } else {
            stream->next_waiting = polled;
            polled = stream;
        }
    }
    if (!polled)
        emu_timer_poll(false);
}

marker_t *emu_marker_at_end(stream_t *stream)
{
    if (stream->last && !stream->issued_since_last) {
        stream->last->refs++;
        return stream->last;
    }
    marker_t *marker = marker_new(stream);
    marker->refs = 3; /* the stream's, the command's, the caller's */
    emu_marker_release(stream->last);
    stream->last = marker;
    stream->issued_since_last = false;
    command_t *command = emu_command_new(COMMAND_RECORD);
    command->marker = marker;
    emu_issue(stream, command);
    return marker;
}

void emu_wait_in_stream(stream_t *stream, marker_t *marker)
{
    if (marker->done && stream->state == STREAM_IDLE) {
        stream->ended = later(stream->ended, marker->when);
        return;
    }
    command_t *command = emu_command_new(COMMAND_WAIT);
    command->marker = marker;
    marker->refs++;
    emu_issue(stream, command);
}

void emu_wait_in_thread(stream_t *stream, marker_t *marker)
{
    emu_catch_up(stream);
    if (marker->done)
        return;
    sleeper_t me = {.next = marker->sleepers};
    marker->sleepers = &me;
    emu_unlock();
    emu_sleep(&me.woken, UINT64_MAX);
    emu_lock();
}

void emu_context_break(context_t *context, CUresult result)
{
    if (context->broken)
        return;
    context->broken = result;
    context->running = 0;
    context->without_room = NULL;
    context->last_without_room = &context->without_room;
    for (stream_t *stream = context->streams; stream; stream = stream->next) {
        switch (stream->state) {
        case STREAM_TIMED:
            emu_timer_remove(stream);
            break;
        case STREAM_WAITS:
            unlink_stream(&stream->head->marker->streams, stream);
            break;
        case STREAM_POLLS:
            unlink_stream(&polled, stream);
            break;
        case STREAM_NO_ROOM:
            break;
        case STREAM_IDLE:
        case STREAM_READY:
        case STREAM_EXECUTED:
            continue; /* whoever has it goes on with it */
        }
        stream->due = 0;
        make_ready(stream);
    }
}
