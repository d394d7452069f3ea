// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that says no when it is initialised, and one that OMP_TOOL forbids, is told of nothing.
//
// RUN: %cc-both
// RUN: env REFUSE=1 %t.plugin | %FileCheck %s
// RUN: env REFUSE=1 %nowait-run %t.stock | %FileCheck %s
// RUN: env OMP_TOOL=disabled %t.plugin | %FileCheck %s
#include "check.h"
#define ompt_start_tool start_timeline
#include "timeline.h"
#undef ompt_start_tool

static int (*initialize)(ompt_function_lookup_t, int, ompt_data_t *);

static int refuse(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data)
{
    (void)initialize(lookup, initial_device, data);
    return 0;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    ompt_start_tool_result_t *result = start_timeline(version, runtime);
    initialize = result->initialize;
    if (getenv("REFUSE"))
        result->initialize = refuse;
    return result;
}

int main(void)
{
    int x = 0;
    watchdog(60);
#pragma omp target map(tofrom : x)
    x++;
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    CHECK_EQ(x, 2);
    CHECK_EQ(timeline_n, 0);
    printf("nothing told\n");
    return 0;
}

// CHECK: nothing told
