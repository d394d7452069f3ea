/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/relay.h"

/* The task behind the gate, in libomp's memory. */
typedef struct runner {
    nw_kmp_task_t task;
    void (*run)(void *);
    void *argument;
} runner_t;

/* The runner's destructors: they run even if its taskgroup is cancelled and its routine dropped. */
NW_IN_RECYCLED_TASK static int32_t run(int32_t gtid, void *task)
{
    (void)gtid;
    runner_t *runner = task;
    runner->run(runner->argument);
    return 0;
}

NW_IN_RECYCLED_TASK
nw_kmp_task_t *nw_relay_make(nw_ident_t *loc, int32_t gtid, void (*function)(void *), void *argument)
{
    const nw_libomp_t *omp = nw_libomp();
    nw_kmp_task_t *gate = omp->task_alloc(loc, gtid, NW_KMP_PROXY, sizeof *gate, 0, nw_libomp_empty_routine);
    runner_t *runner =
        (runner_t *)omp->task_alloc(loc, gtid, NW_KMP_DESTRUCTORS, sizeof *runner, 0, nw_libomp_empty_routine);
    runner->task.data1.destructors = run;
    runner->run = function;
    runner->argument = argument;
    /* Any address of which no other child of the current task makes use. */
    struct nowait_depend_info link = {.base = (intptr_t)gate, .length = 1, .flags = NW_DEPEND_INOUT};
    omp->task_with_deps(loc, gtid, gate, 1, &link, 0, NULL);
    link.flags = NW_DEPEND_IN;
    omp->task_with_deps(loc, gtid, &runner->task, 1, &link, 0, NULL);
    return gate;
}

void nw_relay_start(nw_kmp_task_t *relay)
{
    nw_libomp()->proxy_task_completed(relay);
}
