// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool hears of the dependences of regions, which libomp knows nothing of, as of those of host tasks: once a task,
// after the task itself (if the tool wants to hear of devices at all), with addresses and kinds, in serial code and in
// teams.
//
// RUN: %nowait-clang %flags -fopenmp-version=51 %s -o %t.plugin
// RUN: %stock-clang %flags -fopenmp-version=51 %s -o %t.stock
// RUN: env NOWAIT_COMPLETION=event %t.plugin
// RUN: env NOWAIT_COMPLETION=event %nowait-run %t.stock
// RUN: env NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"
#include <omp-tools.h>
#include <omp.h>

enum { ROUNDS = 10 };

static int x, y;
static _Atomic int n_made, n_told, n_in, n_inout, n_mutex;

static void on_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_dependences,
                      const void *codeptr)
{
    (void)parent, (void)frame, (void)has_dependences, (void)codeptr;
    task->value = flags & ompt_task_target ? 1 : 2;
    n_made += (flags & ompt_task_target) != 0;
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int n)
{
    /* Told before, and not over. */
    CHECK_EQ(task && (task->value == 1 || task->value == 2), 1);
    n_told += task->value == 1;
    for (int i = 0; task->value == 1 && i < n; i++) {
        n_in += list[i].dependence_type == ompt_dependence_type_in && list[i].variable.ptr == &y;
        n_inout += list[i].dependence_type == ompt_dependence_type_inout && list[i].variable.ptr == &x;
        n_mutex += list[i].dependence_type == ompt_dependence_type_mutexinoutset && list[i].variable.ptr == &y;
    }
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_data_t *target_task, ompt_data_t *target, const void *codeptr)
{
    (void)kind, (void)endpoint, (void)device, (void)task, (void)target_task, (void)target, (void)codeptr;
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data)
{
    (void)initial_device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_task_create, (ompt_callback_t)on_create);
    set(ompt_callback_dependences, (ompt_callback_t)on_dependences);
    set(ompt_callback_target_emi, (ompt_callback_t)on_target);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}

static void rounds(void)
{
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) depend(in : y) nowait
        x++;
#pragma omp task depend(inout : x)
        x++;
#pragma omp target map(tofrom : x) depend(inout : x) depend(mutexinoutset : y) nowait
        x++;
    }
}

int main(void)
{
    watchdog(60);
    rounds();
#pragma omp taskwait
    CHECK_EQ(x, 3 * ROUNDS);
#pragma omp parallel num_threads(2)
#pragma omp single
    rounds();
    CHECK_EQ(x, 6 * ROUNDS);
    CHECK_EQ(n_told, 4 * ROUNDS);
    CHECK_EQ(n_made >= n_told, 1);
    CHECK_EQ(n_inout, 4 * ROUNDS);
    CHECK_EQ(n_in, 2 * ROUNDS);
    CHECK_EQ(n_mutex, 2 * ROUNDS);
    return 0;
}
