/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/task_trace.h"

#include "support/clock.h"

void nw_task_trace_construct(nw_trace_mark_t mark, const nw_ident_t *loc)
{
    nw_trace_slice(&(nw_trace_event_t){.kind = NW_TRACE_CONSTRUCT,
                                       .flow = NW_TRACE_FLOW_BEGINS,
                                       .begin = mark.since,
                                       .end = nw_clock_ns(),
                                       .op = mark.op,
                                       .loc = loc,
                                       .device = NW_TRACE_THIS_THREAD});
}

void nw_task_trace_dispatch(nw_work_t *work, bool by_libomp)
{
    nw_trace_region_begins(work->trace.op, work->trace.since, work->loc);
    if (by_libomp)
        nw_trace_edge(0, work->trace.op, "libomp");
    work->trace.since = nw_clock_ns();
}

void nw_task_trace_dispatched(nw_work_t *work)
{
    int64_t now = nw_clock_ns();
    nw_trace_slice(&(nw_trace_event_t){.kind = NW_TRACE_DISPATCH,
                                       .flow = NW_TRACE_FLOW_PASSES,
                                       .begin = work->trace.since,
                                       .end = now,
                                       .op = work->trace.op,
                                       .loc = work->loc,
                                       .kernel = work->launch.name,
                                       .device = NW_TRACE_THIS_THREAD});
    work->trace.since = now;
}

void nw_task_trace_released(nw_trace_mark_t mark)
{
    nw_trace_slice(&(nw_trace_event_t){.kind = NW_TRACE_RELEASE,
                                       .begin = mark.since,
                                       .end = nw_clock_ns(),
                                       .op = mark.op,
                                       .device = NW_TRACE_THIS_THREAD});
}
