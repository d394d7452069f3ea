/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/event.h"

#include "cudaemu/handle.h"
#include "cudaemu/stream.h"

struct CUevent_st {
    uint64_t live; /* first: of the handle */
    context_t *context;
    marker_t *marker; /* NULL: never recorded */
    uint64_t recorded; /* when it was put into its stream */
    unsigned int flags;
};

static handles_t events = {.size = sizeof(struct CUevent_st), .limit = 1 << 18};

static bool is_event(CUevent event)
{
    if (emu_handle_is(&events, event))
        return true;
    emu_misuse("%p is no event", (void *)event);
    return false;
}

static void delete_event(CUevent event)
{
    emu_marker_release(event->marker);
    emu_handle_free(&events, event);
}

void emu_events_delete(context_t *context)
{
    for (size_t i = 0; i < events.used; i++) {
        CUevent event = (CUevent)(void *)(events.base + i * events.size);
        if (emu_handle_is(&events, event) && event->context == context)
            delete_event(event);
    }
}

uint64_t emu_events_live(void)
{
    return events.live;
}

CUresult cuEventCreate(CUevent *event_p, unsigned int flags)
{
    ENTER(cuEventCreate, NEEDS_CONTEXT);
    if (!event_p || flags & ~(unsigned int)(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    CUevent event = emu_handle_new(&events);
    if (event) {
        event->context = emu_current();
        event->flags = flags;
        *event_p = event;
    }
    emu_unlock();
    return event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* An event that is still to come may be destroyed: who waits for it goes on waiting. */
CUresult cuEventDestroy_v2(CUevent event)
{
    ENTER(cuEventDestroy, NEEDS_STREAM);
    emu_lock();
    bool right = is_event(event);
    if (right)
        delete_event(event);
    emu_unlock();
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Stock libomptarget looks this name up without its version. */
CUDAEMU_EXPORT CUresult cuEventDestroy(CUevent event) __attribute__((alias("cuEventDestroy_v2")));

CUresult cuEventRecord(CUevent event, CUstream handle)
{
    ENTER(cuEventRecord, NEEDS_STREAM);
    stream_t *stream;
    emu_lock();
    CUresult result = emu_stream_to_issue(handle, &stream);
    if (result == CUDA_SUCCESS && (!is_event(event) || event->context != stream->context))
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS) {
        emu_marker_release(event->marker);
        event->marker = emu_marker_at_end(stream);
        event->recorded = emu_now();
    }
    emu_unlock();
    return result;
}

CUresult cuEventQuery(CUevent event)
{
    ENTER(cuEventQuery, NEEDS_STREAM);
    CUresult result = CUDA_ERROR_INVALID_HANDLE;
    emu_lock();
    if (is_event(event)) {
        marker_t *marker = event->marker;
        if (marker && !marker->done)
            emu_catch_up(marker->stream);
        result = !marker || marker->done ? event->context->broken : CUDA_ERROR_NOT_READY;
    }
    emu_unlock();
    return result;
}

CUresult cuEventSynchronize(CUevent event)
{
    ENTER(cuEventSynchronize, NEEDS_STREAM);
    CUresult result = CUDA_ERROR_INVALID_HANDLE;
    emu_count_blocked();
    emu_lock();
    if (is_event(event)) {
        context_t *context = event->context;
        marker_t *marker = event->marker;
        if (marker && !marker->done) {
            marker->refs++; /* the event may be recorded anew or destroyed meanwhile */
            emu_wait_in_thread(marker->stream, marker);
            emu_marker_release(marker);
        }
        result = context->broken;
    }
    emu_unlock();
    return result;
}

/* When an event that is over happened: not before it was put there. */
static int64_t when(CUevent event)
{
    return (int64_t)(event->marker->when > event->recorded ? event->marker->when : event->recorded);
}

/* Between two events that are over. */
CUresult cuEventElapsedTime(float *ms_p, CUevent begin, CUevent end)
{
    ENTER(cuEventElapsedTime, NEEDS_STREAM);
    CUresult result = CUDA_ERROR_INVALID_HANDLE;
    if (!ms_p)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    if (is_event(begin) && is_event(end) && begin->marker && end->marker &&
        !((begin->flags | end->flags) & CU_EVENT_DISABLE_TIMING)) {
        if (!end->marker->done)
            emu_catch_up(end->marker->stream);
        if (!begin->marker->done)
            emu_catch_up(begin->marker->stream);
        result = begin->marker->done && end->marker->done ? begin->context->broken : CUDA_ERROR_NOT_READY;
        if (result == CUDA_SUCCESS)
            *ms_p = (float)((double)(when(end) - when(begin)) / 1e6);
    }
    emu_unlock();
    return result;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned int flags)
{
    ENTER(cuStreamWaitEvent, NEEDS_STREAM);
    stream_t *stream;
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    CUresult result = emu_stream_to_issue(handle, &stream);
    if (result == CUDA_SUCCESS && !is_event(event))
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && event->marker)
        emu_wait_in_stream(stream, event->marker);
    emu_unlock();
    return result;
}
