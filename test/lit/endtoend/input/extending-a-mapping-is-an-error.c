// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map that extends a mapping which is there already is an error of the program: one line that says so, status 1, no
// crash and no hang; before the present data, behind it, and in a region that is delayed by a dependence.
//
// RUN: %cc-both
// RUN: %t.plugin behind > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %t.plugin before > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %t.plugin late > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: env NOWAIT_COMPLETION=requeue %t.plugin late > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %nowait-run %t.stock behind > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %nowait-run %t.stock late > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: env NOWAIT_FATAL=abort %not --crash %t.plugin behind 2>&1 | %FileCheck %s --check-prefix=LLVM
// RUN: env NOWAIT_FATAL=abort %not --crash %nowait-run %t.stock late 2>&1 | %FileCheck %s --check-prefix=LLVM
// LLVM: omptarget message: explicit extension not allowed: host address specified is 0x{{[0-9a-f]+}} (120 bytes), but device allocation maps to host at 0x{{[0-9a-f]+}} (80 bytes)
// LLVM: omptarget error: Call to targetDataBegin failed, abort target.
// LLVM: omptarget fatal error 1: failure of target construct while offloading is mandatory
// CHECK-NOT: went on
// CHECK: {{[Ee]xplicit extension|extend|overlap}}
// CHECK-NOT: went on
#include "check.h"

enum { N = 100 };

int main(int argc, char **argv)
{
    int a[N] = {0}, order = 0;
    watchdog(20);
    CHECK_EQ(argc, 2);
#pragma omp target enter data map(to : a [40:20])
    if (strcmp(argv[1], "behind") == 0) {
#pragma omp target map(tofrom : a [50:30]) nowait
        a[50] = 1;
    } else if (strcmp(argv[1], "before") == 0) {
#pragma omp target enter data map(to : a [10:40]) nowait
    } else {
#pragma omp target map(tofrom : order) depend(inout : order) nowait
        {
            sleep_us(2000);
            order++;
        }
#pragma omp target map(tofrom : a [50:30]) depend(inout : order) nowait
        a[50] = 1;
    }
#pragma omp taskwait
    puts("went on");
    return 0;
}
