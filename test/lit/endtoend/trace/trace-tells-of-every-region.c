// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NOWAIT_TRACE writes JSON that tells of every region from its construct to the end of its task, in each mode, on CPU
// devices and on GPUs; nowait-info sums it up, also when it has been cut.
//
// RUN: rm -f %t.json %t-*.json
// RUN: %nowait-clang %flags -g %s -o %t.plugin
// RUN: %stock-clang %flags -g %s -o %t.stock
// RUN: env NOWAIT_TRACE=%t.json NOWAIT_COMPLETION=event %t.plugin
// RUN: python3 %S/../Inputs/check-trace.py %t.json 41
// RUN: %nowait-info --trace %t.json | %FileCheck %s
// RUN: head -c -200 %t.json > %t-cut.json
// RUN: %nowait-info --trace %t-cut.json | %FileCheck %s --check-prefix=CUT
// RUN: head -c 300 %t.json | tail -c 50 > %t-bad.json
// RUN: %not %nowait-info --trace %t-bad.json 2>&1 | %FileCheck %s --check-prefix=BAD
// RUN: env NOWAIT_TRACE=%t.json NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: python3 %S/../Inputs/check-trace.py %t.json 41
// RUN: env NOWAIT_TRACE=%t.json NOWAIT_COMPLETION=block %t.plugin
// RUN: python3 %S/../Inputs/check-trace.py %t.json 41
// RUN: env NOWAIT_TRACE=%t.json %nowait-run %t.stock
// RUN: python3 %S/../Inputs/check-trace.py %t.json 41
// RUN: %on-cuda CUDAEMU_KERNEL_NS=50000 CUDAEMU_REPORT=1 NOWAIT_TRACE=%t.json %t.plugin > %t.out 2>&1
// RUN: python3 %S/../Inputs/check-trace.py %t.json 41
// RUN: %FileCheck %s --check-prefix=EMU < %t.out
// RUN: env NOWAIT_TRACE=%t-%%p.json %t.plugin
// RUN: python3 %S/../Inputs/check-trace.py %t-[0-9]*.json 41
// CHECK: {{[0-9]+}} events{{$}}
// CHECK: regions: 4{{[1-9]}}, outstanding {{.*}}; in flight at most {{[1-9]}}
// CHECK: device 0: busy
// CHECK: busiest regions
// CHECK-DAG: trace-tells-of-every-region.c:[[# @LINE + 18]]
// CHECK-DAG: trace-tells-of-every-region.c:[[# @LINE + 20]]
// CHECK: what waited for what
// CHECK: times {{.*}} waited for trace-tells-of-every-region.c
// CUT: cut off: this is what is there
// CUT: regions: {{[1-9]}}
// BAD: not a trace that NOWAIT_TRACE has written
// EMU: left streams 0 events 0
// EMU: misuses 0
#include "check.h"

int main(void)
{
    static int a[4][256], whole;
    watchdog(60);
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 4; j++) {
            if (i % 2) {
#pragma omp target map(tofrom : a[j]) depend(inout : a[j]) nowait
                a[j][i]++;
            } else {
#pragma omp target map(tofrom : a[j]) depend(inout : a[j]) nowait
                {
                    /* What depends on these waits for them. */
                    if (i == 0)
                        sleep_us(30000);
                    a[j][i] += 2;
                }
            }
        }
    }
#pragma omp taskwait
#pragma omp target map(tofrom : whole)
    whole++;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 10; i++)
            CHECK_EQ(a[j][i], i % 2 ? 1 : 2);
    }
    CHECK_EQ(whole, 1);
    return 0;
}
