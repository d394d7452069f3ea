// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime stands between the program and libomp; what libomp tells a tool of host tasks and of taskwait still names
// the program's functions.
//
// RUN: %cc-plugin
// RUN: %t.plugin | %FileCheck %s
#define TIMELINE_QUIET
#include "check.h"
#define ompt_start_tool start_timeline
#include "timeline.h"
#undef ompt_start_tool

static void on_created(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_deps,
                       const void *codeptr)
{
    on_task_create(parent, frame, task, flags, has_deps, codeptr);
    if (!(flags & ompt_task_target))
        printf("task with%s dependences in %s\n", has_deps ? "" : "out", timeline_function(codeptr));
    else
        printf("target task\n");
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    const void *codeptr)
{
    (void)parallel, (void)task;
    if (kind == ompt_sync_region_taskwait && endpoint == ompt_scope_begin)
        printf("taskwait in %s\n", timeline_function(codeptr));
}

static int (*initialize_timeline)(ompt_function_lookup_t, int, ompt_data_t *);

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    int result = initialize_timeline(lookup, initial_device, data);
    set(ompt_callback_task_create, (ompt_callback_t)on_created);
    set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
    return result;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    ompt_start_tool_result_t *result = start_timeline(version, runtime);
    initialize_timeline = result->initialize;
    result->initialize = initialize;
    return result;
}

static __attribute__((noinline)) void tasks(int *x)
{
#pragma omp task
    ++*x;
#pragma omp task depend(inout : x[0])
    ++*x;
#pragma omp taskwait
}

int main(void)
{
    int x = 0, y = 0;
    watchdog(60);
#pragma omp target map(tofrom : y) nowait
    y++;
#pragma omp parallel num_threads(2)
#pragma omp single
    tasks(&x);
    /* The region is the initial task's: the team's barrier does not wait for it. */
#pragma omp taskwait
    CHECK_EQ(x, 2);
    CHECK_EQ(y, 1);
    return 0;
}

// CHECK: target task
// CHECK: task without dependences in tasks
// CHECK-NEXT: task with dependences in tasks
// CHECK-NEXT: taskwait in tasks
// CHECK: timeline: ok
