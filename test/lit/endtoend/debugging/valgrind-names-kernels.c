// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// valgrind tells of a fault in a kernel of the CPU device by function, file and line, where the device's code lies in
// NOWAIT_IMAGE_FOLDER.
//
// REQUIRES: device-host, valgrind
// RUN: rm -rf %t.images && mkdir %t.images
// RUN: %nowait-clang -O0 -g -gdwarf-4 %s -o %t
// RUN: env NOWAIT_IMAGE_FOLDER=%t.images valgrind %t 2>&1 | %FileCheck %s
#include <stdlib.h>

static int one_too_far(const int *numbers)
{
    return numbers[10]; // this line
}
#pragma omp declare target to(one_too_far)

int main(void)
{
    int x = 0;
#pragma omp target map(tofrom : x) nowait
    {
        int *numbers = (int *)malloc(10 * sizeof *numbers);
        x = one_too_far(numbers) == 4711;
        free(numbers);
    }
#pragma omp taskwait
    return 0;
}

// CHECK: Invalid read of size 4
// CHECK-NEXT: one_too_far ({{.*}}valgrind-names-kernels.c:[[#@LINE-18]])
// CHECK-NEXT: __omp_offloading_{{.*}}valgrind-names-kernels.c
// CHECK: ERROR SUMMARY: 1 errors
