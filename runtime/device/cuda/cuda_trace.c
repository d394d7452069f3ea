/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_trace.h"

#include <stdlib.h>

#include "support/clock.h"

/* One work in the stream. */
typedef struct marks {
    CUevent events[NW_CUDA_N_PARTS];
    size_t bytes[NW_CUDA_N_PARTS];
    unsigned recorded; /* bits of parts; */
    unsigned empty;    /* of those that are over when the one before is */
    int64_t put;       /* when its commands were */
} marks_t;

struct nw_cuda_stream_trace {
    marks_t marks[NW_CUDA_STREAM_EVENTS]; /* ticket t's are those at t modulo their number */
    int64_t last_end; /* of the work before; the progress thread's */
};

void nw_cuda_trace_mark(nw_cuda_stream_t *stream, nw_cuda_part_t part, size_t bytes)
{
    if (!stream->trace)
        stream->trace = calloc(1, sizeof *stream->trace);
    if (!stream->trace)
        return;
    marks_t *marks = &stream->trace->marks[(stream->issued + 1) % NW_CUDA_STREAM_EVENTS];
    CUevent *event = &marks->events[part];
    if (part == NW_CUDA_PART_BEGIN) {
        marks->recorded = marks->empty = 0;
        marks->put = nw_clock_ns();
    }
    marks->bytes[part] = bytes;
    /* Two calls of the driver's less for a region whose data is present. */
    if ((part == NW_CUDA_PART_IN || part == NW_CUDA_PART_OUT) && bytes == 0)
        marks->empty |= 1u << part;
    else if ((*event || nw_cuda.cuEventCreate(event, 0) == CUDA_SUCCESS) &&
        nw_cuda.cuEventRecord(*event, stream->handle) == CUDA_SUCCESS)
        marks->recorded |= 1u << part;
}

/* Nanoseconds from the work's beginning to the ends of its parts; false if the driver can't tell. */
static bool read_ends(const nw_cuda_gpu_t *gpu, const marks_t *marks, int64_t ends[NW_CUDA_N_PARTS])
{
    if (!nw_cuda.cuEventElapsedTime || (marks->recorded | marks->empty) != (1u << NW_CUDA_N_PARTS) - 1 ||
        nw_cuda_enter(gpu) != CUDA_SUCCESS)
        return false;
    for (unsigned part = NW_CUDA_PART_IN; part < NW_CUDA_N_PARTS; part++) {
        float ms;
        if (marks->empty >> part & 1) {
            ends[part] = ends[part - 1];
            continue;
        }
        if (nw_cuda.cuEventElapsedTime(&ms, marks->events[NW_CUDA_PART_BEGIN], marks->events[part]) != CUDA_SUCCESS)
            return false;
        ends[part] = (int64_t)((double)ms * 1e6);
    }
    return true;
}

void nw_cuda_trace_passed(const nw_work_t *work)
{
    static const nw_trace_kind_t kinds[NW_CUDA_N_PARTS] = {
        [NW_CUDA_PART_IN] = NW_TRACE_COPY_IN, [NW_CUDA_PART_KERNEL] = NW_TRACE_KERNEL,
        [NW_CUDA_PART_OUT] = NW_TRACE_COPY_OUT};
    nw_cuda_stream_t *stream = work->state.queue;
    if (!stream->trace)
        return;
    const marks_t *marks = &stream->trace->marks[work->state.ticket % NW_CUDA_STREAM_EVENTS];
    int64_t seen = nw_clock_ns(), ends[NW_CUDA_N_PARTS] = {0};
    int64_t begin = marks->put > stream->trace->last_end ? marks->put : stream->trace->last_end;
    /* Times that can't be are not believed. */
    if (!read_ends(stream->gpu, marks, ends) || ends[NW_CUDA_PART_OUT] > seen - marks->put)
        ends[NW_CUDA_PART_IN] = 0, ends[NW_CUDA_PART_KERNEL] = ends[NW_CUDA_PART_OUT] = seen - begin;
    /* The two clocks differ a little: nothing ends after it has been seen to be over. */
    if (begin + ends[NW_CUDA_PART_OUT] > seen)
        begin = seen - ends[NW_CUDA_PART_OUT];
    nw_trace_event_t event = {.op = work->trace.op,
                              .kind = NW_TRACE_QUEUE,
                              .begin = work->trace.since,
                              .end = begin,
                              .loc = work->loc,
                              .kernel = work->launch.name,
                              .device = work->device->number,
                              .lane = (uint32_t)(stream - stream->gpu->streams) + 1};
    nw_trace_state(&event);
    for (unsigned part = NW_CUDA_PART_IN; part < NW_CUDA_N_PARTS; part++) {
        bool kernel = part == NW_CUDA_PART_KERNEL;
        event.kind = kinds[part];
        event.flow = kernel ? NW_TRACE_FLOW_PASSES : NW_TRACE_NO_FLOW;
        event.begin = begin + ends[part - 1];
        event.end = begin + ends[part];
        event.bytes = marks->bytes[part];
        if (kernel ? work->has_kernel : event.bytes > 0)
            nw_trace_slice(&event);
    }
    stream->trace->last_end = begin + ends[NW_CUDA_PART_OUT];
}

void nw_cuda_trace_copies(const nw_work_t *work, bool in, int64_t begin)
{
    nw_trace_slice(&(nw_trace_event_t){.kind = in ? NW_TRACE_COPY_IN : NW_TRACE_COPY_OUT,
                                       .begin = begin,
                                       .end = nw_clock_ns(),
                                       .op = work->trace.op,
                                       .loc = work->loc,
                                       .kernel = work->launch.name,
                                       .device = work->device->number,
                                       .bytes = nw_work_copied_bytes(work, in)});
}

void nw_cuda_trace_close(nw_cuda_stream_t *stream)
{
    for (unsigned i = 0; stream->trace && i < NW_CUDA_STREAM_EVENTS; i++) {
        for (unsigned part = 0; part < NW_CUDA_N_PARTS; part++) {
            CUevent event = stream->trace->marks[i].events[part];
            if (event)
                (void)nw_cuda.cuEventDestroy(event);
        }
    }
    free(stream->trace);
    stream->trace = NULL;
}
