/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/stream.h"

#include <stdlib.h>

#include "cudaemu/event.h"
#include "cudaemu/handle.h"
#include "cudaemu/memory.h"
#include "cudaemu/timeline.h"

static handles_t streams = {.size = sizeof(stream_t), .limit = 1 << 16};

/* --- life ----------------------------------------------------------------------------------------------------- */

stream_t *emu_stream_new(context_t *context, unsigned int flags)
{
    stream_t *stream = emu_handle_new(&streams);
    if (!stream)
        return NULL;
    stream->context = context;
    stream->flags = flags;
    stream->tail = &stream->head;
    stream->next = context->streams;
    if (stream->next)
        stream->next->previous = stream;
    context->streams = stream;
    return stream;
}

void emu_stream_gone(stream_t *stream)
{
    context_t *context = stream->context;
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        context->streams = stream->next;
    emu_marker_release(stream->last);
    emu_handle_free(&streams, stream);
}

void emu_streams_delete(context_t *context)
{
    while (context->streams)
        emu_stream_gone(context->streams);
    context->legacy = NULL;
}

uint64_t emu_streams_live(void)
{
    uint64_t legacy = 0;
    for (size_t i = 0; i < MAX_DEVICES; i++)
        legacy += emu_contexts[i].legacy != NULL;
    return streams.live - legacy;
}

/* --- handles and the legacy stream's order -------------------------------------------------------------------- */

CUresult emu_stream_find(CUstream handle, stream_t **stream_p)
{
    if (handle == NULL || handle == CU_STREAM_LEGACY) {
        context_t *context = emu_current();
        if (!context || !context->retained)
            return context ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
        *stream_p = context->legacy;
        return CUDA_SUCCESS;
    }
    if (emu_handle_is(&streams, handle) && !handle->destroyed && !handle->legacy) {
        *stream_p = handle;
        return CUDA_SUCCESS;
    }
    emu_misuse("%p is no stream", (void *)handle);
    return CUDA_ERROR_INVALID_HANDLE;
}

static bool orders_with_legacy(const stream_t *stream)
{
    return !stream->legacy && !(stream->flags & CU_STREAM_NON_BLOCKING);
}

/* A command of the legacy stream comes after all that blocking streams have been given, and the other way round. */
static void order(stream_t *stream)
{
    stream_t *legacy = stream->context->legacy;
    if (orders_with_legacy(stream) && legacy->state != STREAM_IDLE) {
        marker_t *marker = emu_marker_at_end(legacy);
        emu_wait_in_stream(stream, marker);
        emu_marker_release(marker);
    }
    for (stream_t *other = stream->legacy ? stream->context->streams : NULL; other; other = other->next) {
        if (!orders_with_legacy(other) || other->state == STREAM_IDLE)
            continue;
        marker_t *marker = emu_marker_at_end(other);
        emu_wait_in_stream(stream, marker);
        emu_marker_release(marker);
    }
}

CUresult emu_stream_to_issue(CUstream handle, stream_t **stream_p)
{
    CUresult result = emu_stream_find(handle, stream_p);
    if (result != CUDA_SUCCESS)
        return result;
    if ((*stream_p)->context->broken)
        return (*stream_p)->context->broken;
    if ((*stream_p)->legacy || orders_with_legacy(*stream_p))
        order(*stream_p);
    return CUDA_SUCCESS;
}

/* The same for a question: what the legacy stream waits for counts as its own. */
static CUresult stream_to_ask(CUstream handle, stream_t **stream_p)
{
    CUresult result = emu_stream_find(handle, stream_p);
    if (result == CUDA_SUCCESS && (*stream_p)->legacy)
        order(*stream_p);
    return result;
}

/* --- waiting -------------------------------------------------------------------------------------------------- */

CUresult emu_wait_for_stream(stream_t *stream)
{
    context_t *context = stream->context;
    emu_catch_up(stream);
    if (stream->state != STREAM_IDLE) {
        marker_t *marker = emu_marker_at_end(stream);
        emu_wait_in_thread(stream, marker);
        emu_marker_release(marker);
    }
    return context->broken;
}

void emu_wait_for_context(context_t *context)
{
    emu_count_blocked();
    emu_lock();
    emu_catch_up(NULL);
    size_t n = 0;
    for (stream_t *stream = context->streams; stream; stream = stream->next)
        n += stream->state != STREAM_IDLE;
    marker_t **markers = n ? emu_alloc(n * sizeof *markers) : NULL;
    n = 0;
    /* A marker may end at once and a destroyed stream with it: its successor is read before. */
    for (stream_t *next, *stream = context->streams; stream; stream = next) {
        next = stream->next;
        if (stream->state != STREAM_IDLE)
            markers[n++] = emu_marker_at_end(stream);
    }
    for (size_t i = 0; i < n; i++) {
        if (!markers[i]->done)
            emu_wait_in_thread(NULL, markers[i]);
        emu_marker_release(markers[i]);
    }
    emu_unlock();
    free(markers);
}

/* --- the driver's functions ----------------------------------------------------------------------------------- */

static CUresult create(CUstream *stream_p, unsigned int flags)
{
    if (!stream_p || flags & ~(unsigned int)CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    stream_t *stream = emu_stream_new(emu_current(), flags);
    emu_unlock();
    if (!stream)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *stream_p = stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream_p, unsigned int flags)
{
    ENTER(cuStreamCreate, NEEDS_CONTEXT);
    return create(stream_p, flags);
}

CUresult cuStreamCreateWithPriority(CUstream *stream_p, unsigned int flags, int priority)
{
    ENTER(cuStreamCreateWithPriority, NEEDS_CONTEXT);
    (void)priority; /* out of range is clamped; the order among streams is not defined anyway */
    return create(stream_p, flags);
}

/* What is issued goes on; the handle is none from now on. */
CUresult cuStreamDestroy_v2(CUstream handle)
{
    ENTER(cuStreamDestroy, NEEDS_STREAM);
    stream_t *stream;
    emu_lock();
    CUresult result = emu_stream_find(handle, &stream);
    if (result == CUDA_SUCCESS && stream->legacy)
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS) {
        result = stream->context->broken;
        stream->destroyed = true;
        if (stream->state == STREAM_IDLE)
            emu_stream_gone(stream);
    }
    emu_unlock();
    return result;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context_p)
{
    ENTER(cuStreamGetCtx, NEEDS_STREAM);
    stream_t *stream;
    if (!context_p)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    CUresult result = emu_stream_find(handle, &stream);
    if (result == CUDA_SUCCESS)
        *context_p = stream->context;
    emu_unlock();
    return result;
}

CUresult cuStreamQuery(CUstream handle)
{
    ENTER(cuStreamQuery, NEEDS_STREAM);
    stream_t *stream;
    emu_lock();
    CUresult result = stream_to_ask(handle, &stream);
    if (result == CUDA_SUCCESS) {
        emu_catch_up(stream);
        CUresult broken = stream->context->broken;
        result = broken ? broken : stream->state == STREAM_IDLE ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    }
    emu_unlock();
    return result;
}

CUresult cuStreamSynchronize(CUstream handle)
{
    ENTER(cuStreamSynchronize, NEEDS_STREAM);
    stream_t *stream;
    emu_count_blocked();
    emu_lock();
    CUresult result = stream_to_ask(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = emu_wait_for_stream(stream);
    emu_unlock();
    return result;
}

CUresult cuCtxSynchronize(void)
{
    ENTER(cuCtxSynchronize, NEEDS_CONTEXT);
    context_t *context = emu_current();
    emu_wait_for_context(context);
    return context->broken;
}

static CUresult issue_host(CUstream handle, host_command_t host)
{
    stream_t *stream;
    emu_lock();
    CUresult result = emu_stream_to_issue(handle, &stream);
    if (result == CUDA_SUCCESS) {
        command_t *command = emu_command_new(COMMAND_HOST);
        command->host = host;
        emu_issue(stream, command);
    }
    emu_unlock();
    return result;
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data)
{
    ENTER(cuLaunchHostFunc, NEEDS_STREAM);
    return function ? issue_host(handle, (host_command_t){.function = function, .data = data})
                    : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void *data, unsigned int flags)
{
    ENTER(cuStreamAddCallback, NEEDS_STREAM);
    return callback && !flags ? issue_host(handle, (host_command_t){.callback = callback, .data = data})
                              : CUDA_ERROR_INVALID_VALUE;
}

/* A word that a stream writes or waits for must lie in memory that the device can reach. */
static CUresult issue_value(CUstream handle, command_kind_t kind, value_command_t value)
{
    stream_t *stream;
    if (!emu_settings.write_value)
        return CUDA_ERROR_NOT_SUPPORTED;
    emu_lock();
    CUresult result = emu_stream_to_issue(handle, &stream);
    if (result == CUDA_SUCCESS &&
        (value.address % value.size || !emu_memory_of_range((void *)value.address, value.size)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        command_t *command = emu_command_new(kind);
        command->value = value;
        emu_issue(stream, command);
    }
    emu_unlock();
    return result;
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value, unsigned int flags)
{
    ENTER(cuStreamWriteValue32, NEEDS_STREAM);
    if (flags & ~1u)
        return CUDA_ERROR_INVALID_VALUE;
    return issue_value(stream, COMMAND_WRITE, (value_command_t){address, value, flags, 4});
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned int flags)
{
    ENTER(cuStreamWriteValue64, NEEDS_STREAM);
    if (flags & ~1u)
        return CUDA_ERROR_INVALID_VALUE;
    return issue_value(stream, COMMAND_WRITE, (value_command_t){address, value, flags, 8});
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value, unsigned int flags)
{
    ENTER(cuStreamWaitValue32, NEEDS_STREAM);
    if (flags & ~(3u | CU_STREAM_WAIT_VALUE_FLUSH))
        return CUDA_ERROR_INVALID_VALUE;
    return issue_value(stream, COMMAND_WAIT_VALUE, (value_command_t){address, value, flags, 4});
}
