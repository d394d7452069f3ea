/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Entry points that compiled code calls for target tasks: the plugin's own, and functions of libomp that stand in front
 * of libomp's so that programs compiled without the plugin get the same tasks. (libnowait precedes libomp in the
 * search order, by link order or LD_PRELOAD; the symbols carry libomp's version node.)
 */
#include "core/tool.h"
#include "nowait/abi.h"
#include "omptarget/omptarget.h"
#include "support/clock.h"
#include "support/export.h"
#include "support/log.h"
#include "tasking/dependence_wait.h"
#include "tasking/graph.h"
#include "tasking/host_task.h"
#include "tasking/launcher.h"
#include "tasking/libomp.h"
#include "tasking/libomp_order.h"
#include "tasking/reduction_copies.h"
#include "tasking/region_share.h"
#include "tasking/target_task.h"
#include "tasking/task_form.h"
#include "tasking/team_wait.h"

static _Noreturn void refuse_abi(nw_ident_t *loc, uint32_t version)
{
    nw_fatal(loc,
             "compiled with a plugin of ABI %u, but this libnowait.so (nowait %s) serves ABI %u; compile again with "
             "the plugin of nowait %s, or install the libnowait.so that belongs to the plugin",
             version, NOWAIT_VERSION, NOWAIT_ABI_VERSION, NOWAIT_VERSION);
}

NW_EXPORT void __nowait_require_abi(uint32_t version)
{
    if (version != NOWAIT_ABI_VERSION)
        refuse_abi(NULL, version);
}

/* Checks again: an object file need not have its constructor, and knows bits of its own version. */
NW_EXPORT void *__nowait_target_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                           size_t sizeof_shareds, nowait_task_entry_t entry, int64_t device,
                                           uint32_t n_maps, uint32_t info)
{
    if (NW_UNLIKELY((info & NOWAIT_TASK_INFO_VERSION_MASK) != NOWAIT_ABI_VERSION))
        refuse_abi(loc, info & NOWAIT_TASK_INFO_VERSION_MASK);
    if (NW_UNLIKELY(info & ~NOWAIT_TASK_INFO_KNOWN))
        nw_fatal(loc,
                 "the plugin that compiled this says of a task what nowait %s does not know (task info 0x%x); compile "
                 "again with the plugin of nowait %s",
                 NOWAIT_VERSION, info, NOWAIT_VERSION);
    return nw_target_task_alloc(&(nw_task_request_t){.loc = loc,
                                                     .gtid = gtid,
                                                     .flags = flags,
                                                     .sizeof_task = sizeof_task,
                                                     .sizeof_shareds = sizeof_shareds,
                                                     .entry = entry,
                                                     .device = device,
                                                     .n_maps = n_maps,
                                                     .plugin = true,
                                                     .in_reduction = info & NOWAIT_TASK_INFO_IN_REDUCTION});
}

NW_EXPORT int32_t __nowait_target_task(nw_ident_t *loc, int32_t gtid, void *task)
{
    NW_TOOL_ENTER();
    return nw_target_task_submit(loc, gtid, task, false, 0, NULL, 0, NULL);
}

NW_EXPORT int32_t __nowait_target_task_with_deps(nw_ident_t *loc, int32_t gtid, void *task, int32_t n_deps,
                                                 struct nowait_depend_info *deps, int32_t n_noalias,
                                                 struct nowait_depend_info *noalias)
{
    NW_TOOL_ENTER();
    return nw_target_task_submit(loc, gtid, task, true, n_deps, deps, n_noalias, noalias);
}

NW_EXPORT void *__kmpc_omp_target_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                             size_t sizeof_shareds, nowait_task_entry_t entry, int64_t device)
{
    return nw_target_task_alloc(&(nw_task_request_t){.loc = loc,
                                                     .gtid = gtid,
                                                     .flags = flags,
                                                     .sizeof_task = sizeof_task,
                                                     .sizeof_shareds = sizeof_shareds,
                                                     .entry = entry,
                                                     .device = device});
}

/* Host tasks; see nw_launcher_host_flags. */
NW_EXPORT void *__kmpc_omp_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                      size_t sizeof_shareds, nowait_task_entry_t entry)
{
    return nw_host_task_alloc(loc, gtid, flags, sizeof_task, sizeof_shareds, entry);
}

NW_EXPORT void __kmpc_taskloop(nw_ident_t *loc, int32_t gtid, void *task, int32_t if_value, uint64_t *lower,
                               uint64_t *upper, int64_t stride, int32_t nogroup, int32_t schedule, uint64_t grainsize,
                               void *dup)
{
    task = nw_host_task_taskloop(loc, gtid, task, &lower, &upper);
    nw_launcher_note_host_task();
    nw_libomp()->taskloop(loc, gtid, task, if_value, lower, upper, stride, nogroup, schedule, grainsize, dup);
}

NW_EXPORT void __kmpc_taskloop_5(nw_ident_t *loc, int32_t gtid, void *task, int32_t if_value, uint64_t *lower,
                                 uint64_t *upper, int64_t stride, int32_t nogroup, int32_t schedule,
                                 uint64_t grainsize, int32_t modifier, void *dup)
{
    task = nw_host_task_taskloop(loc, gtid, task, &lower, &upper);
    nw_launcher_note_host_task();
    nw_libomp()->taskloop_5(loc, gtid, task, if_value, lower, upper, stride, nogroup, schedule, grainsize, modifier,
                            dup);
}

NW_EXPORT int32_t __kmpc_omp_task(nw_ident_t *loc, int32_t gtid, void *task)
{
    if (NW_LIKELY(!nw_target_task_is_ours(task)))
        return nw_host_task(loc, gtid, task);
    NW_TOOL_ENTER();
    return nw_target_task_submit(loc, gtid, task, false, 0, NULL, 0, NULL);
}

NW_EXPORT int32_t __kmpc_omp_task_with_deps(nw_ident_t *loc, int32_t gtid, void *task, int32_t n_deps,
                                            struct nowait_depend_info *deps, int32_t n_noalias,
                                            struct nowait_depend_info *noalias)
{
    if (NW_LIKELY(!nw_target_task_is_ours(task)))
        return nw_host_task_with_deps(loc, gtid, task, n_deps, deps, n_noalias, noalias);
    NW_TOOL_ENTER();
    return nw_target_task_submit(loc, gtid, task, true, n_deps, deps, n_noalias, noalias);
}

static __attribute__((cold, noinline)) void trace_wait(int64_t begin, const nw_ident_t *loc)
{
    nw_trace_slice(&(nw_trace_event_t){.kind = NW_TRACE_TASKWAIT,
                                       .begin = begin,
                                       .end = nw_clock_ns(),
                                       .loc = loc,
                                       .device = NW_TRACE_THIS_THREAD});
}

/* Whether the ends of a team's regions are told: not that of a cancelled one. A tool would hear of the tasks that run
 * meanwhile as if the program had yielded. */
static bool team_may_sleep(void)
{
    return !nw_tool_attached() && !nw_task_may_be_cancelled();
}

NW_EXPORT void __kmpc_taskgroup(nw_ident_t *loc, int32_t gtid)
{
    nw_team_taskgroup_begins();
    nw_libomp()->taskgroup(loc, gtid);
}

NW_EXPORT void __kmpc_end_taskgroup(nw_ident_t *loc, int32_t gtid)
{
    if (team_may_sleep())
        nw_team_wait_for_taskgroup(loc, gtid, nw_libomp_current_task(gtid));
    nw_libomp()->end_taskgroup(loc, gtid);
}

NW_EXPORT int32_t __kmpc_omp_taskwait(nw_ident_t *loc, int32_t gtid)
{
    int64_t begin = nw_trace_on() ? nw_clock_ns() : 0;
    const void *parent = nw_libomp_current_task(gtid);
    nw_launcher_before_wait(parent);
    if (team_may_sleep())
        nw_team_wait_for_regions(loc, gtid, parent);
    bool graph_waits = nw_graph_has_to_hear_of_waits();
    /* A tail call, so that the tool hears of the program's place. For a trace, which wants to know when the wait ends,
     * the tool hears of this place instead. */
    if (nw_tool_attached() && !begin && !graph_waits)
        return nw_libomp()->taskwait(loc, gtid);
    int32_t result = nw_libomp()->taskwait(loc, gtid);
    NW_ORDER(waited(parent));
    if (NW_UNLIKELY(graph_waits))
        nw_graph_waited(parent);
    if (NW_UNLIKELY(begin))
        trace_wait(begin, loc);
    return result;
}

/* taskwait with depend, and the wait of a target or task construct that has depend but is not deferred. */
NW_EXPORT void __kmpc_omp_taskwait_deps_51(nw_ident_t *loc, int32_t gtid, int32_t n_deps,
                                           struct nowait_depend_info *deps, int32_t n_noalias,
                                           struct nowait_depend_info *noalias, int32_t no_wait)
{
    nw_dependence_lists_t lists = {.n = n_deps, .list = deps, .n_noalias = n_noalias, .noalias = noalias};
    if (no_wait) {
        nw_dependence_join(loc, gtid, &lists);
        return;
    }
    int64_t begin = nw_trace_on() ? nw_clock_ns() : 0;
    nw_dependence_wait(loc, gtid, &lists);
    if (NW_UNLIKELY(begin))
        trace_wait(begin, loc);
}

/* The name before OpenMP 5.1. */
NW_EXPORT void __kmpc_omp_wait_deps(nw_ident_t *loc, int32_t gtid, int32_t n_deps, struct nowait_depend_info *deps,
                                    int32_t n_noalias, struct nowait_depend_info *noalias)
{
    __kmpc_omp_taskwait_deps_51(loc, gtid, n_deps, deps, n_noalias, noalias, false);
}

/* Around the entry of a task that is not deferred, which may be a region with in_reduction. */
NW_EXPORT void __kmpc_omp_task_begin_if0(nw_ident_t *loc, int32_t gtid, void *task)
{
    nw_reduction_entry_begins(task);
    nw_libomp()->task_begin_if0(loc, gtid, task);
}

NW_EXPORT void __kmpc_omp_task_complete_if0(nw_ident_t *loc, int32_t gtid, void *task)
{
    nw_reduction_entry_ends();
    nw_libomp()->task_complete_if0(loc, gtid, task);
}

NW_EXPORT void *__kmpc_task_reduction_get_th_data(int32_t gtid, void *taskgroup, void *data)
{
    nw_target_task_note_reduction();
    void *copy = nw_libomp()->task_reduction_get_th_data(gtid, taskgroup, data);
    nw_reduction_note(gtid, data, copy);
    return copy;
}

/* The clauses of a teams construct, which may be a region's on a CPU device. */
NW_EXPORT void __kmpc_push_num_teams(nw_ident_t *loc, int32_t gtid, int32_t num_teams, int32_t thread_limit)
{
    nw_libomp()->push_num_teams(loc, gtid, num_teams, nw_region_share_of_team(num_teams, thread_limit));
}
