// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The present modifier on data that is not present ends the program with a line that says so and status 1, for each
// kind of construct with nowait.
//
// RUN: %cc-both
// RUN: %t.plugin kernel > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %t.plugin enter > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %t.plugin update > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %t.plugin exit > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %nowait-run %t.stock kernel > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %nowait-run %t.stock update > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: env NOWAIT_FATAL=abort %not --crash %t.plugin kernel 2>&1 | %FileCheck %s --check-prefixes=LLVM,MAP
// RUN: env NOWAIT_FATAL=abort %not --crash %t.plugin exit 2>&1 | %FileCheck %s --check-prefixes=LLVM,MAP
// RUN: env NOWAIT_FATAL=abort %not --crash %t.plugin update 2>&1 | %FileCheck %s --check-prefixes=LLVM,MOTION
// MAP: omptarget message: device mapping required by 'present' map type modifier does not exist for host address 0x{{[0-9a-f]+}} (4 bytes)
// MOTION: omptarget message: device mapping required by 'present' motion modifier does not exist for host address 0x{{[0-9a-f]+}} (4 bytes)
// LLVM: omptarget fatal error 1: failure of target construct while offloading is mandatory
// CHECK-NOT: went on
// CHECK: present
// CHECK-NOT: went on
#include "check.h"

int main(int argc, char **argv)
{
    int x = 0;
    watchdog(20);
    CHECK_EQ(argc, 2);
    if (strcmp(argv[1], "kernel") == 0) {
#pragma omp target map(present, tofrom : x) nowait
        x++;
    } else if (strcmp(argv[1], "enter") == 0) {
#pragma omp target enter data map(present, alloc : x) nowait
    } else if (strcmp(argv[1], "update") == 0) {
#pragma omp target update to(present : x) nowait
    } else {
#pragma omp target exit data map(present, from : x) nowait
    }
#pragma omp taskwait
    puts("went on");
    return 0;
}
