// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region in a constructor, before anything has initialised libomp, is told like any other, and so are regions of a
// library that is loaded later, its image, and the end of both. A library that asks for the tool's callbacks as a
// device plugin does is connected, and hears of the tool's end.
//
// RUN: %nowait-clang %flags -DLIBRARY -fPIC -shared %s -o %t.so
// RUN: %nowait-clang %flags %s -o %t.plugin -ldl
// RUN: %t.plugin %t.so | %FileCheck %s
#include "check.h"
#ifdef LIBRARY

int in_library(void)
{
    int x = 1;
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    return x;
}

#else
#include <dlfcn.h>

#include "timeline.h"

static int early;

__attribute__((constructor)) static void before_main(void)
{
#pragma omp target map(from : early)
    early = 3;
}

void ompt_libomptarget_connect(ompt_start_tool_result_t *start);

static int plugin_initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data)
{
    (void)initial_device, (void)data;
    ompt_get_callback_t get = (ompt_get_callback_t)lookup("ompt_get_callback");
    ompt_callback_t callback = NULL;
    CHECK(get && get(ompt_callback_target_emi, &callback) && callback == (ompt_callback_t)on_target_emi);
    add_device(7, "plugin connected");
    return 1;
}

static void plugin_finalize(ompt_data_t *data)
{
    (void)data;
    printf("plugin finalized\n");
}

int main(int argc, char **argv)
{
    static ompt_start_tool_result_t start = {plugin_initialize, plugin_finalize, {0}};
    watchdog(60);
    CHECK_EQ(argc, 2);
    CHECK_EQ(early, 3);
    ompt_libomptarget_connect(NULL);
    ompt_libomptarget_connect(&start);
    void *library = dlopen(argv[1], RTLD_NOW);
    CHECK(library != NULL);
    int (*in_library)(void) = (int (*)(void))dlsym(library, "in_library");
    CHECK(in_library && in_library() == 2);
    return 0;
}
#endif

// CHECK: device 0 initialize {{host|cuda}}
// CHECK-NEXT: device 0 load module [[M:[0-9]+]] from its file
// CHECK-NEXT: target, device 0, task 1, in before_main
// CHECK: end
// CHECK-NEXT: device 7 plugin connected
// CHECK-NEXT: device 0 load module [[N:[0-9]+]] from its file
// CHECK-NEXT: target nowait, device 0, task 1, in ?
// CHECK: end
// CHECK-DAG: device 0 unload module [[M]]
// CHECK-DAG: device 0 unload module [[N]]
// CHECK: device 0 finalize
// CHECK: timeline: ok
// CHECK: plugin finalized
