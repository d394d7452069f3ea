/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Target constructs: __tgt_target_kernel and its kin. */
#include <inttypes.h>
#include <string.h>

#include "core/construct.h"
#include "core/tool.h"
#include "nowait/abi.h"
#include "omptarget/construct_run.h"
#include "omptarget/kernel.h"
#include "omptarget/kernel_args.h"
#include "omptarget/omptarget.h"
#include "omptarget/trip_count.h"
#include "support/export.h"
#include "support/info.h"
#include "support/settings.h"
#include "tasking/policy.h"
#include "tasking/reduction_copies.h"
#include "tasking/requeue.h"
#include "tasking/shutdown.h"
#include "tasking/target_task.h"

/* What generated code understands: anything but 0 makes it run the host version. */
#define TOOK_OVER 0
#define RUN_ON_HOST (-1)

static nw_map_args_t map_args_of(const struct nowait_kernel_args *args)
{
    return (nw_map_args_t){.n = (int32_t)args->n_args,
                           .bases = args->bases,
                           .ptrs = args->ptrs,
                           .sizes = args->sizes,
                           .types = args->types,
                           .names = args->names,
                           .mappers = args->mappers};
}

static void tell_arguments(int device, const nw_ident_t *loc, const nw_map_args_t *args)
{
    nw_construct_tell_entries(device, loc, "Entering OpenMP kernel", args);
}

/* The line of LLVM's plugins, of the release that has compiled the region. A CPU device calls the region once, on one
 * thread; others tell what they choose. */
static void tell_launch(nw_core_device_t *device, const nw_region_launch_t *launch)
{
    if (device->base.ops->tells_launches)
        return;
    bool newer = launch->region->layout == NW_ENTRIES_56;
    const char *before = newer ? "[" : "", *behind = newer ? ",1,1]" : "";
    nw_info_of_plugin(device->base.number,
                      "Launching kernel %s with %s%d%s blocks and %s1%s threads in Generic mode, trip count %" PRIu64,
                      launch->region->name, before, launch->num_teams == 0 ? 1 : (int)launch->num_teams, behind,
                      before, behind, launch->trip_count);
}

static _Noreturn void fail_without_code(nw_core_device_t *device, const nw_ident_t *loc, const nw_region_t *region)
{
    const char *kind = device->base.ops->kind, *refusal = nw_images_refusal(region, device);
    const char *comma = region ? ", " : "", *name = region ? region->name : "";
    if (refusal)
        nw_fatal(loc, "device %d (%s) has no code for this region%s%s: %s", device->base.number, kind, comma, name,
                 refusal);
    nw_fatal(loc, "device %d (%s) has no code for this region%s%s; compile for it with %s", device->base.number, kind,
             comma, name, device->base.ops->compiler_flag);
}

/* Finds the region's kernel on the device and how to launch it; ends the program if there is none. */
static nw_region_launch_t launch_of(nw_core_device_t *device, const nw_ident_t *loc, int32_t num_teams,
                                    int32_t thread_limit, void *region_id, const struct nowait_kernel_args *args)
{
    nw_region_t *region = nw_images_region(region_id);
    nw_kernel_t *kernel =
        region ? atomic_load_explicit(&region->kernels[device->base.number], memory_order_acquire) : NULL;
    if (NW_UNLIKELY(!kernel))
        fail_without_code(device, loc, region);
    if (NW_UNLIKELY(args->version > NW_KERNEL_ARGS_NEWEST || args->version == 0))
        nw_fatal(loc, "kernel argument block of version %u; this libnowait.so knows versions 1 to %u (LLVM 19 to 22)",
                 args->version, NW_KERNEL_ARGS_NEWEST);
    bool full = args->version >= NW_KERNEL_ARGS_IMPLICIT;
    nw_region_launch_t launch = {
        .region = region,
        .kernel = kernel,
        .implicit_argument = full,
        .teams = num_teams != -1,
        /* -1 stands for a construct without teams: one team. */
        .num_teams = num_teams == -1 ? 1 : full ? (int32_t)args->num_teams[0] : num_teams,
        .thread_limit = full ? (int32_t)args->thread_limit[0] : thread_limit,
        .trip_count = args->trip_count ? args->trip_count : nw_trip_count_take(device->base.number),
        .dynamic_shared = full ? args->dynamic_shared : 0,
    };
    if (NW_UNLIKELY(nw_settings.info & NW_INFO_LAUNCH))
        tell_launch(device, &launch);
    return launch;
}

static int32_t run_now(nw_ident_t *loc, int64_t number, int32_t num_teams, int32_t thread_limit, void *region_id,
                       const struct nowait_kernel_args *args)
{
    nw_shutdown_prepare();
    nw_core_device_t *device = nw_policy_open(loc, nw_policy_device(loc, number));
    if (!device)
        return RUN_ON_HOST;
    nw_map_args_t map_args = map_args_of(args);
    if (NW_UNLIKELY(nw_settings.info & NW_INFO_ARGUMENTS))
        tell_arguments(device->base.number, loc, &map_args);
    nw_region_launch_t launch = launch_of(device, loc, num_teams, thread_limit, region_id, args);
    bool alone = NW_UNLIKELY(nw_reduction_noted()) &&
                 nw_reduction_redirect(nw_libomp()->global_thread_num(loc), &map_args);
    nw_construct_run(device, loc, NW_TARGET, &map_args, &launch);
    if (NW_UNLIKELY(alone))
        nw_reduction_release();
    return TOOK_OVER;
}

NW_EXPORT int32_t __nowait_target_kernel(nw_ident_t *loc, int64_t number, int32_t num_teams, int32_t thread_limit,
                                         void *region_id, struct nowait_kernel_args *args, int32_t gtid, void *task,
                                         void *slot_memory)
{
    (void)number; /* the task has resolved it when it was made */
    (void)task;
    nw_slot_t *slot = slot_memory;
    nw_core_device_t *device = nw_target_task_device(slot);
    if (!device)
        return RUN_ON_HOST;
    nw_map_args_t map_args = map_args_of(args);
    /* The entry runs for its arguments only, and will be run again. */
    if (NW_UNLIKELY(slot->captures))
        return nw_target_task_dispatch(slot, gtid, loc, NW_TARGET, &map_args, NULL) ? TOOK_OVER : RUN_ON_HOST;
    if (NW_UNLIKELY(nw_settings.info & NW_INFO_ARGUMENTS))
        tell_arguments(device->base.number, loc, &map_args);
    nw_region_launch_t launch = launch_of(device, loc, num_teams, thread_limit, region_id, args);
    bool dispatched = nw_target_task_dispatch(slot, gtid, loc, NW_TARGET, &map_args, &launch);
    if (NW_UNLIKELY(nw_settings.info & NW_INFO_TABLE))
        nw_construct_tell_tables(loc);
    return dispatched ? TOOK_OVER : RUN_ON_HOST;
}

int32_t nw_kernel_start(nw_ident_t *loc, int64_t number, int32_t num_teams, int32_t thread_limit, void *region_id,
                        struct nowait_kernel_args *args)
{
    nw_slot_t *slot = args->flags & NW_KERNEL_NOWAIT ? nw_target_task_current() : NULL;
    if ((args->flags & NW_KERNEL_NOWAIT) && !slot)
        nw_target_task_warn_bypassed(loc);
    if (!slot)
        return run_now(loc, number, num_teams, thread_limit, region_id, args);
    return __nowait_target_kernel(loc, number, num_teams, thread_limit, region_id, args,
                                  nw_libomp()->global_thread_num(loc), slot->task, slot);
}

NW_EXPORT int32_t __tgt_target_kernel(nw_ident_t *loc, int64_t number, int32_t num_teams, int32_t thread_limit,
                                      void *region_id, struct nowait_kernel_args *args)
{
    NW_TOOL_ENTER();
    return nw_kernel_start(loc, number, num_teams, thread_limit, region_id, args);
}

NW_EXPORT void __tgt_target_nowait_query(void **handle)
{
    nw_requeue_query(handle);
}
