// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_INFO=16 prints one line for each kernel, in the form of LLVM's plugins: programs and tests that read it
// go on to work. LLVM 22's has all three dimensions: what a region gets is up to who has compiled it. On a GPU the
// numbers are the device's: endtoend/cuda/launches-obey-clauses-and-environment.c.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: env LIBOMPTARGET_INFO=16 %t.plugin 2>&1 | %FileCheck %s --check-prefixes=CHECK,LLVM$NOWAIT_LLVM
// RUN: env LIBOMPTARGET_INFO=16 %nowait-run %t.stock 2>&1 | %FileCheck %s \
// RUN:   --check-prefixes=CHECK,LLVM$NOWAIT_LLVM
// CHECK-NOT: info:
// LLVM19: "PluginInterface" device 0 info: {{.*}}_main_l{{[0-9]+}} with 1 blocks and 1 threads
// LLVM22: "PluginInterface" device 0 info: {{.*}}_main_l{{[0-9]+}} with [1,1,1] blocks and [1,1,1] threads
// LLVM19-NEXT: "PluginInterface" device 0 info: {{.*}}_main_l{{[0-9]+}} with 1 blocks and 1 threads
// LLVM22-NEXT: "PluginInterface" device 0 info: {{.*}}_main_l{{[0-9]+}} with [1,1,1] blocks and [1,1,1] threads
// LLVM19-NEXT: "PluginInterface" device 0 info: {{.*}}_main_l{{[0-9]+}} with 3 blocks and 1 threads
// LLVM22-NEXT: "PluginInterface" device 0 info: {{.*}}_main_l{{[0-9]+}} with [3,1,1] blocks and [1,1,1] threads
// CHECK-NOT: info:
#include "check.h"

int main(void)
{
    int x = 0;
    watchdog(60);
#pragma omp target map(tofrom : x) device(0)
    x++;
#pragma omp target teams map(tofrom : x) device(0)
#pragma omp atomic
    x++;
#pragma omp target teams num_teams(3) map(tofrom : x) device(0) nowait
#pragma omp atomic
    x++;
#pragma omp taskwait
    return 0;
}
