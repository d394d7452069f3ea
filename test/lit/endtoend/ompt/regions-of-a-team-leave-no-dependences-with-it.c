// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions without depend, made by the threads of a team, bring no dependences into the threads' implicit tasks: at the
// end of a parallel region libomp may clear an implicit task's table of dependences twice at a time
// (runtime/tasking/relay.h). The tool marks implicit tasks and their children, and counts the dependences of the
// children.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"
#include <omp-tools.h>
#include <stdatomic.h>
#include <unistd.h>

enum { IMPLICIT = 1, CHILD = 2, REPETITIONS = 20, THREADS = 3 };

static _Atomic int n_children, n_dependences;

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                             unsigned parallelism, unsigned index, int flags)
{
    (void)parallel, (void)parallelism, (void)index;
    if (endpoint == ompt_scope_begin && (flags & ompt_task_implicit))
        task->value = IMPLICIT;
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_deps,
                           const void *codeptr)
{
    (void)frame, (void)flags, (void)has_deps, (void)codeptr;
    if (parent && parent->value == IMPLICIT) {
        task->value = CHILD;
        n_children++;
    }
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int n)
{
    (void)list;
    if (task->value == CHILD)
        n_dependences += n;
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data)
{
    (void)initial_device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    set(ompt_callback_dependences, (ompt_callback_t)on_dependences);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    (void)version, (void)runtime;
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    return &result;
}

int main(void)
{
    static int done[THREADS];
    watchdog(60);
    for (int rep = 0; rep < REPETITIONS; rep++) {
#pragma omp parallel num_threads(THREADS)
        {
            int *mine = &done[omp_get_thread_num()];
            /* Long enough for libomp to run the task before the region's end. */
#pragma omp target map(tofrom : mine[0:1]) nowait
            {
                usleep(2000);
                mine[0]++;
            }
        }
    }
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(done[t], REPETITIONS);
    CHECK(n_children >= REPETITIONS * THREADS);
    CHECK_EQ(n_dependences, 0);
    return 0;
}
