/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "omptarget/construct_run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/map_types.h"
#include "core/tool.h"
#include "support/clock.h"
#include "support/info.h"
#include "support/settings.h"
#include "tasking/region_device.h"
#include "tasking/task_trace.h"

/* Room on the stack for the operation of a construct without nowait; a larger one goes to the heap. */
#define STACK_BYTES 4096

static __attribute__((cold)) void trace_begins(nw_op_t *op)
{
    op->work.trace = (nw_trace_mark_t){.op = nw_trace_new_op(), .since = nw_clock_ns()};
    nw_trace_region_begins(op->work.trace.op, op->work.trace.since, op->work.loc);
}

void nw_construct_run(nw_core_device_t *device, const nw_ident_t *loc, nw_construct_kind_t kind,
                      const nw_map_args_t *args, const nw_region_launch_t *launch)
{
    _Alignas(16) char on_stack[STACK_BYTES];
    size_t size = nw_op_size((uint32_t)args->n);
    nw_tool_region_t told;
    nw_op_t *op = size <= sizeof on_stack ? (nw_op_t *)on_stack : malloc(size);
    if (!op)
        nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    nw_op_init(op, (uint32_t)args->n);
    nw_op_begin(op, device, loc);
    op->handed_over = launch && device->base.ops->runs_on_caller && nw_region_must_leave_team(launch->teams);
    op->waited_for = !op->handed_over;
    if (nw_trace_on())
        trace_begins(op);
    nw_trace_mark_t mark = op->work.trace;
    if (nw_tool_attached())
        nw_tool_region_begin_now(op, &told, kind);
    nw_construct_decide(op, kind, args, launch);
    /* A failure has ended the program. */
    if (NW_UNLIKELY(op->handed_over)) {
        nw_op_submit(op);
        nw_op_wait(op);
    } else {
        (void)nw_op_run(op);
    }
    if (NW_UNLIKELY(mark.op))
        nw_task_trace_construct(mark, loc);
    if ((char *)op != on_stack)
        free(op);
    if (NW_UNLIKELY(nw_settings.info & NW_INFO_TABLE))
        nw_construct_tell_tables(loc);
}

/* In LLVM's order of questions. */
static const char *kind_of(uint64_t type, int64_t size)
{
    if (type & NW_MAP_ATTACH)
        return type & NW_MAP_ALWAYS ? "attach:always" : "attach";
    if (type & NW_MAP_TO)
        return type & NW_MAP_FROM ? "tofrom" : "to";
    if (type & NW_MAP_FROM)
        return "from";
    if (type & NW_MAP_PRIVATE)
        return "private";
    return type & NW_MAP_LITERAL ? "firstprivate" : size != 0 ? "alloc" : "use_address";
}

void nw_construct_tell_entries(int device, const nw_ident_t *loc, const char *what, const nw_map_args_t *args)
{
    nw_info(device, "%s at %s with %d arguments:", what, nw_info_place(loc).text, args->n);
    for (int32_t i = 0; i < args->n; i++)
        nw_info(device, "%s(%s)[%" PRId64 "] %s", kind_of(args->types[i], args->sizes[i]),
                nw_info_variable(args->names ? args->names[i] : NULL).text, args->sizes[i],
                args->types[i] & NW_MAP_IMPLICIT ? "(implicit)" : "");
}

void nw_construct_tell_tables(const nw_ident_t *loc)
{
    for (int i = 0; i < nw_devices_count(); i++)
        nw_map_table_dump(&nw_devices_peek(i)->map, loc, i, stderr);
}
