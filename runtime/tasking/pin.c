/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/pin.h"

#include <stdlib.h>

#include "support/log.h"
#include "tasking/launcher.h"

/*
 * The addresses that pins depend by; nothing is stored there. libomp remembers every address that a parent's tasks have
 * named, so they are used again in turn: a region then waits for the one that had its address before, which matters
 * only with more than this number of regions of one thread in flight.
 */
#define ADDRESSES 8192u
static char addresses[ADDRESSES];

/* Most dependences whose list is copied on the stack. */
#define STACK_DEPS 64

/* A pin in libomp's memory. */
typedef struct pin {
    nw_kmp_task_t task;
    _Atomic uint32_t *count; /* of its maker's pins */
} pin_t;

/* libomp hands the pin's memory on to other tasks, in an order that ThreadSanitizer does not see. */
__attribute__((no_sanitize("thread"))) static int32_t run_pin(int32_t gtid, void *task)
{
    (void)gtid;
    nw_launcher_pin_ends(((pin_t *)task)->count);
    return 0;
}

/* Makes a pin that has this one dependence. */
static void submit_pin(nw_ident_t *loc, int32_t gtid, struct nowait_depend_info *dep)
{
    const nw_libomp_t *omp = nw_libomp();
    pin_t *pin = (pin_t *)omp->task_alloc(loc, gtid, nw_launcher_host_flags(NW_KMP_TIED), sizeof *pin, 0, run_pin);
    pin->count = nw_launcher_pin_begins();
    omp->task_with_deps(loc, gtid, &pin->task, 1, dep, 0, NULL);
}

/* A copy of a dependence list with room for one more. */
typedef struct deps_copy {
    struct nowait_depend_info *deps;
    struct nowait_depend_info on_stack[STACK_DEPS + 1];
} deps_copy_t;

static void copy_deps(deps_copy_t *copy, const nw_ident_t *loc, int32_t n, const struct nowait_depend_info *deps)
{
    copy->deps = copy->on_stack;
    if (n > STACK_DEPS) {
        copy->deps = malloc(((size_t)n + 1) * sizeof *deps);
        if (!copy->deps)
            nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    }
    for (int32_t i = 0; i < n; i++) {
        copy->deps[i] = deps[i];
        if (deps[i].flags == NW_DEPEND_MUTEXINOUTSET)
            copy->deps[i].flags = NW_DEPEND_INOUT;
    }
}

static void free_deps(deps_copy_t *copy)
{
    if (copy->deps != copy->on_stack)
        free(copy->deps);
}

int32_t nw_pin_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                      struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias)
{
    static _Thread_local uint32_t turn;
    deps_copy_t copy;
    copy_deps(&copy, loc, n_deps, deps);
    struct nowait_depend_info link = {.base = (intptr_t)&addresses[turn++ % ADDRESSES], .length = 1};
    link.flags = NW_DEPEND_INOUT;
    copy.deps[n_deps] = link;
    int32_t result = nw_libomp()->task_with_deps(loc, gtid, task, n_deps + 1, copy.deps, n_noalias, noalias);
    free_deps(&copy);
    link.flags = NW_DEPEND_IN;
    submit_pin(loc, gtid, &link);
    return result;
}

void nw_pin_all(nw_ident_t *loc, int32_t gtid)
{
    submit_pin(loc, gtid, &(struct nowait_depend_info){.flags = NW_DEPEND_ALL_MEMORY});
}

int32_t nw_unpinned_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                           struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias)
{
    deps_copy_t copy;
    copy_deps(&copy, loc, n_deps, deps);
    int32_t result = nw_libomp()->task_with_deps(loc, gtid, task, n_deps, copy.deps, n_noalias, noalias);
    free_deps(&copy);
    return result;
}
