// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With a tool attached a trace has all that it has without one: taskwait, the bytes of copies, what waited for what.
// Threads have the names that the system has.
//
// RUN: %nowait-clang %flags -g %s -o %t.without
// RUN: %nowait-clang %flags -g -DTOOL %s -o %t.with
// RUN: env NOWAIT_TRACE=%t.json %t.without | %FileCheck %s --check-prefix=NONE
// RUN: %nowait-info --trace %t.json | %FileCheck %s
// RUN: env NOWAIT_TRACE=%t.json %t.with | %FileCheck %s --check-prefix=TOOL
// RUN: python3 %S/../Inputs/check-trace.py %t.json 40
// RUN: %nowait-info --trace %t.json | %FileCheck %s
// RUN: grep '"name":"trace-is-the-sa (initial thread)"' %t.json && grep '"name":"nowait-[a-z-]* [0-9]*"' %t.json
// RUN: env NOWAIT_TRACE=%t.json %t.without team
// RUN: %nowait-info --trace %t.json | %FileCheck %s
// RUN: env NOWAIT_TRACE=%t.json %t.with team
// RUN: python3 %S/../Inputs/check-trace.py %t.json 40
// RUN: %nowait-info --trace %t.json | %FileCheck %s
// RUN: %on-cuda NOWAIT_TRACE=%t.json %t.with
// RUN: %nowait-info --trace %t.json | %FileCheck %s
// And without a trace.
// RUN: %t.with | %FileCheck %s --check-prefix=TOOL
// NONE: 0 regions told
// TOOL: 40 regions told
// CHECK: regions: 40, outstanding
// CHECK: taskwait: some thread in it for
// CHECK: {{ 40 .*}} 2048 B {{.*}}trace-is-the-same-with-a-tool.c
// CHECK: what waited for what
// CHECK: times {{ *[0-9.]+ m?s .*}} waited for trace-is-the-same-with-a-tool.c:{{[0-9]+}} (depend)
#include "check.h"
#include <omp-tools.h>

static _Atomic int n_told;

#ifdef TOOL
static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_data_t *target_task, ompt_data_t *target, const void *codeptr)
{
    (void)kind, (void)device, (void)task, (void)target_task, (void)target, (void)codeptr;
    n_told += endpoint == ompt_scope_begin;
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data)
{
    (void)initial_device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
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
#endif

static void chains(void)
{
    static int a[4][256];
    for (int i = 0; i < 40; i++) {
#pragma omp target map(tofrom : a[i % 4]) depend(inout : a[i % 4]) nowait
        {
            /* What depends on these waits for them. */
            if (i < 4)
                sleep_us(30000);
            a[i % 4][i]++;
        }
    }
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    (void)argv;
    watchdog(60);
    if (argc == 1)
        chains();
    else {
#pragma omp parallel num_threads(3)
#pragma omp single
        chains();
    }
    printf("%d regions told\n", n_told);
    return 0;
}
