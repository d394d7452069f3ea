/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/libomp.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "support/loader.h"
#include "support/log.h"

static nw_libomp_t libomp;
static const char *missing; /* the first required function that was not found */
static bool found;
static _Atomic bool asked; /* all of these have their values; written by who holds the loader's lock */

static const struct symbol {
    const char *name;
    size_t offset;
    bool required;
} symbols[] = {
#define REQUIRED(field, name) {name, offsetof(nw_libomp_t, field), true}
#define OPTIONAL(field, name) {name, offsetof(nw_libomp_t, field), false}
    REQUIRED(task_alloc, "__kmpc_omp_task_alloc"),
    REQUIRED(target_task_alloc, "__kmpc_omp_target_task_alloc"),
    REQUIRED(task, "__kmpc_omp_task"),
    REQUIRED(task_with_deps, "__kmpc_omp_task_with_deps"),
    REQUIRED(task_reduction_get_th_data, "__kmpc_task_reduction_get_th_data"),
    REQUIRED(taskgroup, "__kmpc_taskgroup"),
    REQUIRED(end_taskgroup, "__kmpc_end_taskgroup"),
    REQUIRED(taskwait, "__kmpc_omp_taskwait"),
    REQUIRED(taskwait_deps, "__kmpc_omp_taskwait_deps_51"),
    REQUIRED(task_begin_if0, "__kmpc_omp_task_begin_if0"),
    REQUIRED(task_complete_if0, "__kmpc_omp_task_complete_if0"),
    REQUIRED(taskloop, "__kmpc_taskloop"),
    REQUIRED(taskloop_5, "__kmpc_taskloop_5"),
    REQUIRED(proxy_task_completed_in_place, "__kmpc_proxy_task_completed"),
    REQUIRED(taskyield, "__kmpc_omp_taskyield"),
    REQUIRED(global_thread_num, "__kmpc_global_thread_num"),
    REQUIRED(proxy_task_completed, "__kmpc_proxy_task_completed_ooo"),
    REQUIRED(task_allow_completion_event, "__kmpc_task_allow_completion_event"),
    REQUIRED(fulfill_event, "omp_fulfill_event"),
    OPTIONAL(target_async_handle, "__kmpc_omp_get_target_async_handle_ptr"),
    OPTIONAL(has_task_team, "__kmpc_omp_has_task_team"),
    OPTIONAL(ompt_connect, "ompt_libomp_connect"),
    REQUIRED(target_offload, "__kmpc_get_target_offload"),
    REQUIRED(default_device, "omp_get_default_device"),
    REQUIRED(set_default_device, "omp_set_default_device"),
    REQUIRED(pause, "__kmpc_pause_resource"),
    REQUIRED(cancellation, "omp_get_cancellation"),
    REQUIRED(in_final, "omp_in_final"),
    OPTIONAL(in_explicit_task, "omp_in_explicit_task"),
    REQUIRED(num_threads, "omp_get_num_threads"),
    REQUIRED(active_level, "omp_get_active_level"),
    REQUIRED(max_active_levels, "omp_get_max_active_levels"),
    REQUIRED(level, "omp_get_level"),
    REQUIRED(ancestor_thread_num, "omp_get_ancestor_thread_num"),
    REQUIRED(team_num, "omp_get_team_num"),
    OPTIONAL(max_threads, "omp_get_max_threads"),
    OPTIONAL(set_num_threads, "omp_set_num_threads"),
    OPTIONAL(thread_limit, "omp_get_thread_limit"),
    OPTIONAL(set_thread_limit, "__kmpc_set_thread_limit"),
    REQUIRED(push_num_teams, "__kmpc_push_num_teams"),
#undef REQUIRED
#undef OPTIONAL
};

static void look_up(void *unused)
{
    (void)unused;
    if (atomic_load_explicit(&asked, memory_order_relaxed))
        return;
    /* The loaded library itself is asked, not the search order, in which our own interposers come first. */
    static const char *const files[] = {"libomp.so.5", "libomp.so", "libiomp5.so"};
    void *handle = NULL;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && !handle; i++) {
        handle = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
        libomp.file = files[i];
    }
    found = handle != NULL;
    for (size_t i = 0; handle && i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(handle, symbols[i].name);
        memcpy((char *)&libomp + symbols[i].offset, &address, sizeof address);
        if (!address && symbols[i].required && !missing)
            missing = symbols[i].name;
    }
    atomic_store_explicit(&asked, true, memory_order_release);
}

const nw_libomp_t *nw_libomp_if_loaded(void)
{
    /* Acquire pairs with the release in look_up. */
    if (!atomic_load_explicit(&asked, memory_order_acquire))
        nw_loader_locked(look_up, NULL);
    return found && !missing ? &libomp : NULL;
}

const nw_libomp_t *nw_libomp(void)
{
    static _Atomic bool known;
    /* Acquire pairs with the release below: the table is filled. */
    if (NW_LIKELY(atomic_load_explicit(&known, memory_order_acquire)))
        return &libomp;
    const nw_libomp_t *table = nw_libomp_if_loaded();
    if (NW_UNLIKELY(!table)) {
        if (found)
            nw_fatal(NULL, "%s has no function %s; use libomp of LLVM 16 or later", libomp.file, missing);
        nw_fatal(NULL, "libomp is not loaded; link the program with -fopenmp of clang");
    }
    atomic_store_explicit(&known, true, memory_order_release);
    return table;
}

const void *nw_libomp_current_task(int32_t gtid)
{
    /* The handle lies in the current task. */
    const nw_libomp_t *omp = nw_libomp();
    return omp->target_async_handle ? omp->target_async_handle(gtid) : NULL;
}

int32_t nw_libomp_empty_routine(int32_t gtid, void *task)
{
    (void)gtid;
    (void)task;
    return 0;
}
