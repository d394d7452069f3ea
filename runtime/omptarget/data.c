/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data constructs: target data, enter data, exit data, update; with and without nowait. */
#include "core/construct.h"
#include "core/tool.h"
#include "nowait/abi.h"
#include "omptarget/construct_run.h"
#include "support/export.h"
#include "support/info.h"
#include "support/settings.h"
#include "tasking/policy.h"
#include "tasking/shutdown.h"
#include "tasking/target_task.h"

/* The parameters that all of these functions share, and what they make. */
#define ENTRIES \
    nw_ident_t *loc, int64_t device, int32_t n, void **bases, void **ptrs, int64_t *sizes, int64_t *types, \
        void **names, void **mappers
#define PASS_ENTRIES loc, device, n, bases, ptrs, sizes, types, names, mappers
#define DEPS int32_t n_deps, void *deps, int32_t n_noalias, void *noalias
#define IGNORE_DEPS (void)n_deps, (void)deps, (void)n_noalias, (void)noalias

static const char *const kind_words[] = {[NW_DATA_BEGIN] = "Entering OpenMP data region with being_mapper",
                                         [NW_DATA_END] = "Exiting OpenMP data region with end_mapper",
                                         [NW_DATA_UPDATE] =
                                             "Updating data within the OpenMP data region with update_mapper"};

static void tell(nw_core_device_t *device, const nw_ident_t *loc, nw_construct_kind_t kind, const nw_map_args_t *args)
{
    if (NW_UNLIKELY(nw_settings.info & NW_INFO_ARGUMENTS))
        nw_construct_tell_entries(device->base.number, loc, kind_words[kind], args);
}

static nw_map_args_t map_args(int32_t n, void **bases, void **ptrs, int64_t *sizes, int64_t *types, void **names,
                              void **mappers)
{
    return (nw_map_args_t){.n = n,
                           .bases = bases,
                           .ptrs = ptrs,
                           .sizes = sizes,
                           .types = (const uint64_t *)types,
                           .names = names,
                           .mappers = mappers};
}

static void run_now(nw_construct_kind_t kind, ENTRIES)
{
    nw_shutdown_prepare();
    nw_core_device_t *found = nw_policy_open(loc, nw_policy_device(loc, device));
    if (!found)
        return;
    nw_map_args_t args = map_args(n, bases, ptrs, sizes, types, names, mappers);
    tell(found, loc, kind, &args);
    nw_construct_run(found, loc, kind, &args, NULL);
}

static void dispatch(nw_construct_kind_t kind, nw_slot_t *slot, int32_t gtid, nw_ident_t *loc, int32_t n, void **bases,
                     void **ptrs, int64_t *sizes, int64_t *types, void **names, void **mappers)
{
    nw_core_device_t *device = nw_target_task_device(slot);
    if (!device)
        return;
    nw_map_args_t args = map_args(n, bases, ptrs, sizes, types, names, mappers);
    bool captures = slot->captures;
    if (!captures)
        tell(device, loc, kind, &args);
    (void)nw_target_task_dispatch(slot, gtid, loc, kind, &args, NULL);
    if (NW_UNLIKELY(nw_settings.info & NW_INFO_TABLE) && !captures)
        nw_construct_tell_tables(loc);
}

/* Called from an entry compiled without the plugin: the slot is the running task's. */
static void dispatch_current(nw_construct_kind_t kind, ENTRIES)
{
    nw_slot_t *slot = nw_target_task_current();
    if (!slot)
        nw_target_task_warn_bypassed(loc);
    if (slot && !slot->dispatched)
        dispatch(kind, slot, nw_libomp()->global_thread_num(loc), loc, n, bases, ptrs, sizes, types, names, mappers);
    else
        run_now(kind, PASS_ENTRIES);
}

/* Each construct's functions: the plugin's, clang's with and without nowait, and older names for both. */
#define DATA_CONSTRUCT(name, kind) \
    NW_EXPORT void __nowait_target_data_##name(ENTRIES, int32_t gtid, void *task, void *slot) \
    { \
        (void)device; \
        (void)task; \
        dispatch(kind, slot, gtid, loc, n, bases, ptrs, sizes, types, names, mappers); \
    } \
    NW_EXPORT void __tgt_target_data_##name##_mapper(ENTRIES) \
    { \
        NW_TOOL_ENTER(); \
        run_now(kind, PASS_ENTRIES); \
    } \
    NW_EXPORT void __tgt_target_data_##name##_nowait_mapper(ENTRIES, DEPS) \
    { \
        NW_TOOL_ENTER(); \
        IGNORE_DEPS; \
        dispatch_current(kind, PASS_ENTRIES); \
    } \
    NW_EXPORT void __tgt_target_data_##name(int64_t device, int32_t n, void **bases, void **ptrs, int64_t *sizes, \
                                            int64_t *types) \
    { \
        NW_TOOL_ENTER(); \
        run_now(kind, NULL, device, n, bases, ptrs, sizes, types, NULL, NULL); \
    } \
    NW_EXPORT void __tgt_target_data_##name##_nowait(int64_t device, int32_t n, void **bases, void **ptrs, \
                                                     int64_t *sizes, int64_t *types, DEPS) \
    { \
        NW_TOOL_ENTER(); \
        IGNORE_DEPS; \
        dispatch_current(kind, NULL, device, n, bases, ptrs, sizes, types, NULL, NULL); \
    }

/* clang-format off */
void __tgt_target_data_begin_mapper(ENTRIES);
void __tgt_target_data_begin_nowait_mapper(ENTRIES, DEPS);
void __tgt_target_data_begin(int64_t device, int32_t n, void **bases, void **ptrs, int64_t *sizes, int64_t *types);
void __tgt_target_data_begin_nowait(int64_t device, int32_t n, void **bases, void **ptrs, int64_t *sizes,
                                    int64_t *types, DEPS);
void __tgt_target_data_end_mapper(ENTRIES);
void __tgt_target_data_end_nowait_mapper(ENTRIES, DEPS);
void __tgt_target_data_end(int64_t device, int32_t n, void **bases, void **ptrs, int64_t *sizes, int64_t *types);
void __tgt_target_data_end_nowait(int64_t device, int32_t n, void **bases, void **ptrs, int64_t *sizes,
                                  int64_t *types, DEPS);
void __tgt_target_data_update_mapper(ENTRIES);
void __tgt_target_data_update_nowait_mapper(ENTRIES, DEPS);
void __tgt_target_data_update(int64_t device, int32_t n, void **bases, void **ptrs, int64_t *sizes, int64_t *types);
void __tgt_target_data_update_nowait(int64_t device, int32_t n, void **bases, void **ptrs, int64_t *sizes,
                                     int64_t *types, DEPS);
/* clang-format on */

DATA_CONSTRUCT(begin, NW_DATA_BEGIN)
DATA_CONSTRUCT(end, NW_DATA_END)
DATA_CONSTRUCT(update, NW_DATA_UPDATE)
