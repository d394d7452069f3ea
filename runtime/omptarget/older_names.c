/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names by which compilers before LLVM 15, and front ends that still do so, start a region. Such kernels take no
 * implicit first argument, and geometry comes as arguments (KernelArgsTy, version 1). Those with nowait are called
 * inside the task's entry, and the dependences, which the task has already awaited, are passed for nothing.
 */
#include "core/tool.h"
#include "nowait/abi.h"
#include "omptarget/kernel.h"
#include "omptarget/kernel_args.h"
#include "omptarget/omptarget.h"
#include "omptarget/trip_count.h"
#include "support/export.h"
#include "tasking/policy.h"

#define ENTRIES int32_t n, void **bases, void **ptrs, int64_t *sizes, int64_t *types
#define NAMES void **names, void **mappers
#define GEOMETRY int32_t num_teams, int32_t thread_limit
#define DEPS int32_t n_deps, void *deps, int32_t n_noalias, void *noalias
#define IGNORE_DEPS (void)n_deps, (void)deps, (void)n_noalias, (void)noalias

/* Stands for a construct without teams. */
#define NO_TEAMS (-1)

static int32_t start(bool nowait, nw_ident_t *loc, int64_t device, void *region_id, ENTRIES, NAMES, GEOMETRY)
{
    struct nowait_kernel_args args = {.version = 1,
                                      .n_args = (uint32_t)n,
                                      .bases = bases,
                                      .ptrs = ptrs,
                                      .sizes = sizes,
                                      .types = (uint64_t *)types,
                                      .names = names,
                                      .mappers = mappers,
                                      .flags = nowait ? NW_KERNEL_NOWAIT : 0};
    return nw_kernel_start(loc, device, num_teams, thread_limit, region_id, &args);
}

/* clang-format off */
int32_t __tgt_target(int64_t device, void *region_id, ENTRIES);
int32_t __tgt_target_nowait(int64_t device, void *region_id, ENTRIES, DEPS);
int32_t __tgt_target_mapper(nw_ident_t *loc, int64_t device, void *region_id, ENTRIES, NAMES);
int32_t __tgt_target_nowait_mapper(nw_ident_t *loc, int64_t device, void *region_id, ENTRIES, NAMES, DEPS);
int32_t __tgt_target_teams(int64_t device, void *region_id, ENTRIES, GEOMETRY);
int32_t __tgt_target_teams_nowait(int64_t device, void *region_id, ENTRIES, GEOMETRY, DEPS);
int32_t __tgt_target_teams_mapper(nw_ident_t *loc, int64_t device, void *region_id, ENTRIES, NAMES, GEOMETRY);
int32_t __tgt_target_teams_nowait_mapper(nw_ident_t *loc, int64_t device, void *region_id, ENTRIES, NAMES, GEOMETRY,
                                         DEPS);
/* clang-format on */

NW_EXPORT int32_t __tgt_target(int64_t device, void *region_id, ENTRIES)
{
    NW_TOOL_ENTER();
    return start(false, NULL, device, region_id, n, bases, ptrs, sizes, types, NULL, NULL, NO_TEAMS, 0);
}

NW_EXPORT int32_t __tgt_target_nowait(int64_t device, void *region_id, ENTRIES, DEPS)
{
    NW_TOOL_ENTER();
    IGNORE_DEPS;
    return start(true, NULL, device, region_id, n, bases, ptrs, sizes, types, NULL, NULL, NO_TEAMS, 0);
}

NW_EXPORT int32_t __tgt_target_mapper(nw_ident_t *loc, int64_t device, void *region_id, ENTRIES, NAMES)
{
    NW_TOOL_ENTER();
    return start(false, loc, device, region_id, n, bases, ptrs, sizes, types, names, mappers, NO_TEAMS, 0);
}

NW_EXPORT int32_t __tgt_target_nowait_mapper(nw_ident_t *loc, int64_t device, void *region_id, ENTRIES, NAMES, DEPS)
{
    NW_TOOL_ENTER();
    IGNORE_DEPS;
    return start(true, loc, device, region_id, n, bases, ptrs, sizes, types, names, mappers, NO_TEAMS, 0);
}

NW_EXPORT int32_t __tgt_target_teams(int64_t device, void *region_id, ENTRIES, GEOMETRY)
{
    NW_TOOL_ENTER();
    return start(false, NULL, device, region_id, n, bases, ptrs, sizes, types, NULL, NULL, num_teams, thread_limit);
}

NW_EXPORT int32_t __tgt_target_teams_nowait(int64_t device, void *region_id, ENTRIES, GEOMETRY, DEPS)
{
    NW_TOOL_ENTER();
    IGNORE_DEPS;
    return start(true, NULL, device, region_id, n, bases, ptrs, sizes, types, NULL, NULL, num_teams, thread_limit);
}

NW_EXPORT int32_t __tgt_target_teams_mapper(nw_ident_t *loc, int64_t device, void *region_id, ENTRIES, NAMES, GEOMETRY)
{
    NW_TOOL_ENTER();
    return start(false, loc, device, region_id, n, bases, ptrs, sizes, types, names, mappers, num_teams,
                 thread_limit);
}

NW_EXPORT int32_t __tgt_target_teams_nowait_mapper(nw_ident_t *loc, int64_t device, void *region_id, ENTRIES, NAMES,
                                                   GEOMETRY, DEPS)
{
    NW_TOOL_ENTER();
    IGNORE_DEPS;
    return start(true, loc, device, region_id, n, bases, ptrs, sizes, types, names, mappers, num_teams, thread_limit);
}

/* Neither clang 19 nor 22 calls this; they pass the block to __tgt_target_kernel. */
NW_EXPORT int32_t __tgt_target_kernel_nowait(nw_ident_t *loc, int64_t device, int32_t num_teams, int32_t thread_limit,
                                             void *region_id, struct nowait_kernel_args *args, DEPS)
{
    NW_TOOL_ENTER();
    IGNORE_DEPS;
    return nw_kernel_start(loc, device, num_teams, thread_limit, region_id, args);
}

NW_EXPORT void __kmpc_push_target_tripcount_mapper(nw_ident_t *loc, int64_t device, uint64_t trip_count)
{
    nw_trip_count_push(nw_policy_device(loc, device), trip_count);
}

NW_EXPORT void __kmpc_push_target_tripcount(int64_t device, uint64_t trip_count)
{
    __kmpc_push_target_tripcount_mapper(NULL, device, trip_count);
}
