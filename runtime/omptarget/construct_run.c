/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "omptarget/construct_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/map_types.h"
#include "core/tool.h"
#include "support/log.h"

/* Room on the stack for the operation of a construct without nowait; a larger one goes to the heap. */
#define STACK_BYTES 4096

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
    op->waited_for = true;
    if (nw_tool_attached())
        nw_tool_region_begin_now(op, &told, kind);
    nw_construct_decide(op, kind, args, launch);
    /* A failure has ended the program. */
    (void)nw_op_run(op);
    if ((char *)op != on_stack)
        free(op);
}

static const char *kind_of(uint64_t type)
{
    if (type & NW_MAP_PRIVATE)
        return type & NW_MAP_TO ? "firstprivate" : "private";
    if (type & NW_MAP_LITERAL)
        return "firstprivate";
    if ((type & NW_MAP_TO) && (type & NW_MAP_FROM))
        return "tofrom";
    return type & NW_MAP_TO ? "to" : type & NW_MAP_FROM ? "from" : type & NW_MAP_ATTACH ? "attach" : "alloc";
}

void nw_construct_tell_entries(int device, const nw_map_args_t *args)
{
    for (int32_t i = 0; i < args->n; i++) {
        const char *name = args->names ? args->names[i] : NULL;
        int length = name && *name == ';' ? (int)strcspn(name + 1, ";") : 7;
        nw_info(device, "%s(%.*s)[%" PRId64 "]%s", kind_of(args->types[i]), length,
                name && *name == ';' ? name + 1 : "unknown", args->sizes[i],
                args->types[i] & NW_MAP_IMPLICIT ? " (implicit)" : "");
    }
}
