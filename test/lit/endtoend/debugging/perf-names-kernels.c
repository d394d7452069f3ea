// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// perf, which looks for code by the names that the kernel knows and after the program has ended, finds that of the CPU
// devices in NOWAIT_IMAGE_FOLDER. A folder that is not there is a warning, and the program runs.
//
// REQUIRES: device-host, perf
// RUN: rm -rf %t.images && mkdir %t.images
// RUN: %nowait-clang -O1 -g -fno-inline %s -o %t
// RUN: env NOWAIT_IMAGE_FOLDER=%t.images perf record -q -e cpu-clock -o %t.data %t
// RUN: perf report --stdio --sort dso,symbol -i %t.data | %FileCheck %s
// RUN: env NOWAIT_IMAGE_FOLDER=%t.missing %t 2>&1 | %FileCheck --check-prefix=MISSING %s
#include <stdio.h>

static double busy_in_kernel(int n)
{
    volatile double sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum + i;
    return sum;
}
#pragma omp declare target to(busy_in_kernel)

int main(void)
{
    double x = 0;
#pragma omp target map(from : x) nowait
    x = busy_in_kernel(50000000);
#pragma omp taskwait
    printf("sum %g\n", x);
    return 0;
}

// CHECK: {{[0-9.]+}}% perf-names-kernels.c.tmp.{{[0-9]+}}.{{.*}}.so {{.*}} busy_in_kernel

// MISSING: nowait: warning: NOWAIT_IMAGE_FOLDER={{.*}}missing: No such file or directory; device images stay in memory
// MISSING: sum
