// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool asks a new device for the functions that trace inside it, in the way that widely copied examples do: it gives
// up if there is nothing to ask, asks for one function after the other, and only then sets up what its other callbacks
// use. Every answer is NULL, as with LLVM, and the tool's callbacks run.
//
// RUN: %cc-both
// RUN: %tell-both
// CHECK: no ompt_set_trace_ompt: device 0 is not traced
// CHECK: target begin on device 0, which the tool knows as {{host|cuda}}
// CHECK: answer 42
#include "check.h"
#include <omp-tools.h>
#include <omp.h>

static const char **kinds; /* of the devices; there when the first has been asked */
static int n_targets;

static void on_initialize(int device, const char *kind, ompt_device_t *handle, ompt_function_lookup_t lookup,
                          const char *documentation)
{
    static const char *const names[] = {"ompt_get_device_time", "ompt_translate_time", "ompt_set_trace_native",
                                        "ompt_start_trace", "ompt_pause_trace", "ompt_flush_trace", "ompt_stop_trace",
                                        "ompt_advance_buffer_cursor", "ompt_get_record_ompt", "no such function"};
    (void)handle, (void)documentation;
    if (!lookup)
        return;
    CHECK(lookup("ompt_set_trace_ompt") == NULL);
    if (!kinds)
        printf("no ompt_set_trace_ompt: device %d is not traced\n", device);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK(lookup(names[i]) == NULL);
    if (!kinds)
        kinds = calloc(64, sizeof *kinds);
    kinds[device] = kind;
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_data_t *target_task, ompt_data_t *target, const void *codeptr)
{
    (void)kind, (void)task, (void)target_task, (void)target, (void)codeptr;
    if (endpoint == ompt_scope_begin && n_targets++ == 0)
        printf("target begin on device %d, which the tool knows as %s\n", device, kinds[device]);
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)initial_device, (void)data;
    set(ompt_callback_device_initialize, (ompt_callback_t)on_initialize);
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

int main(void)
{
    int x = 41;
    watchdog(60);
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    printf("answer %d\n", x);
    return 0;
}
