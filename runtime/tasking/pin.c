/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/pin.h"

#include <stdlib.h>
#include <string.h>

#include "support/log.h"
#include "tasking/launcher.h"

/*
 * The addresses that pins depend by; nothing is stored there. libomp remembers every address that children of a task
 * have named, so one is used again as soon as its pin has run: a thread names no more than it has had regions in flight
 * at once. All threads use the same ones, since only children of one task are ordered by addresses, and in a team of
 * one these are made on one thread. With more regions in flight than addresses, a region waits for another one that has
 * its address.
 */
#define ADDRESSES 8192u
static char addresses[ADDRESSES];

static _Thread_local struct {
    uint16_t *free; /* those that have been used and are free now; room for all, from the first pin on */
    uint32_t n_free;
    uint32_t n_used; /* so many have been in use, the first ones */
} own;

/* Returns a number from 1 to ADDRESSES, or 0 if all are in use. */
static uint32_t take_address(void)
{
    if (own.n_free > 0)
        return own.free[--own.n_free];
    if (!own.free)
        own.free = malloc(ADDRESSES * sizeof *own.free);
    return own.free && own.n_used < ADDRESSES ? ++own.n_used : 0;
}

static void give_address(uint32_t number)
{
    if (own.free && own.n_free < ADDRESSES)
        own.free[own.n_free++] = (uint16_t)number;
}

void nw_pin_thread_ends(void)
{
    free(own.free);
    memset(&own, 0, sizeof own);
}

/* Most dependences whose list is copied on the stack. */
#define STACK_DEPS 64

/* A pin in libomp's memory. */
typedef struct pin {
    nw_kmp_task_t task;
    _Atomic uint32_t *count; /* of its maker's pins */
    uint32_t address;        /* its number; 0: none of its own */
} pin_t;

/* The pin's destructors: they run even if its taskgroup is cancelled and its routine dropped. */
NW_IN_RECYCLED_TASK static int32_t end_pin(int32_t gtid, void *task)
{
    (void)gtid;
    pin_t *pin = task;
    if (pin->address)
        give_address(pin->address);
    nw_launcher_pin_ends(pin->count);
    return 0;
}

/* Makes a pin that has this one dependence, and gives the address back. */
static void submit_pin(nw_ident_t *loc, int32_t gtid, struct nowait_depend_info *dep, uint32_t address)
{
    const nw_libomp_t *omp = nw_libomp();
    int32_t flags = nw_launcher_host_flags(NW_KMP_TIED) | NW_KMP_DESTRUCTORS;
    pin_t *pin = (pin_t *)omp->task_alloc(loc, gtid, flags, sizeof *pin, 0, nw_libomp_empty_routine);
    pin->task.data1.destructors = end_pin;
    pin->count = nw_launcher_pin_begins();
    pin->address = address;
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
    uint32_t number = take_address();
    struct nowait_depend_info link = {.length = 1};
    link.base = (intptr_t)&addresses[number ? number - 1 : turn++ % ADDRESSES];
    link.flags = NW_DEPEND_INOUT;
    copy.deps[n_deps] = link;
    int32_t result = nw_libomp()->task_with_deps(loc, gtid, task, n_deps + 1, copy.deps, n_noalias, noalias);
    free_deps(&copy);
    link.flags = NW_DEPEND_IN;
    submit_pin(loc, gtid, &link, number);
    return result;
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
