/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Construct interop: clang's entry points of LLVM 19, which 22 still uses, and those for OpenMP 6.0 of LLVM 22. */
#include "core/interop_object.h"

#include "omptarget/omptarget.h"
#include "support/export.h"
#include "support/log.h"
#include "tasking/order_task.h"
#include "tasking/policy.h"
#include "tasking/shutdown.h"

/* What the entry points of LLVM 22 return. */
enum { TOOK_OVER = 0, FAILED = -1 };

static void run_construct(nw_ident_t *loc, int32_t gtid, const nw_order_t *order, bool no_wait)
{
    nw_shutdown_prepare();
    if (no_wait)
        nw_order_later(loc, gtid, order);
    else
        nw_order_now(loc, gtid, order);
}

/* The number of the device that an object belongs to, as programs know it. */
static nw_core_device_t *find_device(nw_ident_t *loc, int64_t device, int64_t *number_p)
{
    int64_t number = nw_policy_device(loc, device);
    *number_p = number == NW_HOST_DEVICE ? nw_policy_device_count() : number;
    return nw_policy_open(loc, number);
}

static nw_interop_t *new_object(nw_ident_t *loc, int64_t device)
{
    int64_t number;
    nw_core_device_t *found = find_device(loc, device, &number);
    nw_interop_t *interop = nw_interop_new(found, number);
    if (!interop)
        nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    return interop;
}

/* Kinds of objects do not differ here: see core/interop_object.h. */
NW_EXPORT void __tgt_interop_init(nw_ident_t *loc, int32_t gtid, nw_interop_t **interop_p, int32_t type,
                                  int32_t device, int32_t n_deps, struct nowait_depend_info *deps, int32_t no_wait)
{
    (void)type;
    *interop_p = new_object(loc, device);
    nw_order_t order = {.interop = *interop_p, .dependences = {.n = n_deps, .list = deps}};
    run_construct(loc, gtid, &order, no_wait);
}

/* The object knows its device; clang passes that of a device clause, or -1. */
NW_EXPORT void __tgt_interop_use(nw_ident_t *loc, int32_t gtid, nw_interop_t **interop_p, int32_t device,
                                 int32_t n_deps, struct nowait_depend_info *deps, int32_t no_wait)
{
    (void)device;
    nw_order_t order = {
        .interop = *interop_p, .dependences = {.n = n_deps, .list = deps}, .runs_callbacks = true};
    run_construct(loc, gtid, &order, no_wait);
}

NW_EXPORT void __tgt_interop_destroy(nw_ident_t *loc, int32_t gtid, nw_interop_t **interop_p, int32_t device,
                                     int32_t n_deps, struct nowait_depend_info *deps, int32_t no_wait)
{
    (void)device;
    nw_order_t order = {.interop = *interop_p,
                        .dependences = {.n = n_deps, .list = deps},
                        .runs_callbacks = true,
                        .destroys = true};
    *interop_p = NULL;
    run_construct(loc, gtid, &order, no_wait);
}

static nw_dependence_lists_t unpack(const nw_interop_dependences_t *pack)
{
    if (!pack)
        return (nw_dependence_lists_t){.n = 0};
    return (nw_dependence_lists_t){
        .n = pack->n, .list = pack->list, .n_noalias = pack->n_noalias, .noalias = pack->noalias};
}

/* Each device has one runtime underneath, so there is nothing to prefer. */
NW_EXPORT nw_interop_t *__tgt_interop_get(nw_ident_t *loc, int32_t type, int64_t device, int32_t n_preferred,
                                          const nw_interop_spec_t *preferred, const nw_interop_context_t *context,
                                          const nw_interop_dependences_t *dependences)
{
    (void)type;
    (void)n_preferred;
    (void)preferred;
    nw_interop_t *interop;
    if (context->flags & NW_INTEROP_IMPLICIT) {
        int64_t number;
        nw_core_device_t *found = find_device(loc, device, &number);
        interop = nw_interop_implicit(found, number, context->gtid);
        if (!interop)
            nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    } else {
        interop = new_object(loc, device);
    }
    nw_order_t order = {.interop = interop, .dependences = unpack(dependences)};
    run_construct(loc, context->gtid, &order, context->flags & NW_INTEROP_NOWAIT);
    return interop;
}

NW_EXPORT int __tgt_interop_use60(nw_ident_t *loc, nw_interop_t *interop, const nw_interop_context_t *context,
                                  const nw_interop_dependences_t *dependences)
{
    if (!interop)
        return FAILED;
    nw_order_t order = {.interop = interop, .dependences = unpack(dependences), .runs_callbacks = true};
    run_construct(loc, context->gtid, &order, context->flags & NW_INTEROP_NOWAIT);
    return TOOK_OVER;
}

NW_EXPORT int __tgt_interop_release(nw_ident_t *loc, nw_interop_t *interop, const nw_interop_context_t *context,
                                    const nw_interop_dependences_t *dependences)
{
    if (!interop)
        return FAILED;
    /* An implicit object stays for the thread's next request. */
    nw_order_t order = {.interop = interop,
                        .dependences = unpack(dependences),
                        .runs_callbacks = true,
                        .destroys = !nw_interop_is_implicit(interop)};
    run_construct(loc, context->gtid, &order, context->flags & NW_INTEROP_NOWAIT);
    return TOOK_OVER;
}

/*
 * libomp 22 calls this where a thread waits for its tasks, and each time it looks for one: the chance to make progress.
 * Regions need none, since their devices complete them; only implicit interop objects do.
 */
NW_EXPORT void __tgt_target_sync(nw_ident_t *loc, int32_t gtid, void *task, void *event)
{
    (void)loc;
    (void)task;
    (void)event;
    nw_interop_sync_implicit(gtid);
}
