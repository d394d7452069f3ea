/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/pin.h"

#include <stdlib.h>
#include <string.h>

#include "support/log.h"
#include "tasking/target_task.h"

/*
 * The addresses that pins depend by; nothing is stored there. libomp remembers every address that a parent's tasks have
 * named, so they are used again in turn: a region then waits for the one that had its address before, which matters
 * only with more than this number of regions of one thread in flight.
 */
#define ADDRESSES 8192u
static char addresses[ADDRESSES];

/* Most dependences whose list is copied on the stack. */
#define STACK_DEPS 64

static int32_t do_nothing(int32_t gtid, void *task)
{
    (void)gtid;
    (void)task;
    return 0;
}

int32_t nw_pin_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                      struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias)
{
    static _Thread_local uint32_t turn;
    const nw_libomp_t *omp = nw_libomp();
    struct nowait_depend_info on_stack[STACK_DEPS + 1], *all = on_stack;
    if (n_deps > STACK_DEPS) {
        all = malloc(((size_t)n_deps + 1) * sizeof *all);
        if (!all)
            nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    }
    if (n_deps > 0)
        memcpy(all, deps, (size_t)n_deps * sizeof *all);
    struct nowait_depend_info link = {.base = (intptr_t)&addresses[turn++ % ADDRESSES], .length = 1};
    link.flags = NW_DEPEND_INOUT;
    all[n_deps] = link;
    int32_t result = omp->task_with_deps(loc, gtid, task, n_deps + 1, all, n_noalias, noalias);
    if (all != on_stack)
        free(all);
    nw_kmp_task_t *pin = omp->task_alloc(loc, gtid, nw_target_task_host_flags(NW_KMP_TIED), sizeof *pin, 0, do_nothing);
    link.flags = NW_DEPEND_IN;
    omp->task_with_deps(loc, gtid, pin, 1, &link, 0, NULL);
    return result;
}
