// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device image in which bytes have been changed after it was linked never meets the loader, which would crash: the
// region that needs it ends the program with one line that says what is wrong.
//
// REQUIRES: device-host
// RUN: %nowait-clang %flags %s -o %t
// RUN: cp %t %t.segment && %damage-image %t.segment segment
// RUN: %not %t.segment 2>&1 | %FileCheck %s -DWHY="damaged: its "
// RUN: cp %t %t.dynamic && %damage-image %t.dynamic dynamic
// RUN: %not %t.dynamic 2>&1 | %FileCheck %s -DWHY="damaged: its "
// RUN: cp %t %t.zeroes && %damage-image %t.zeroes zeroes
// RUN: %not %t.zeroes 2>&1 | %FileCheck %s -DWHY="damaged: its "
// RUN: cp %t %t.kind && %damage-image %t.kind kind
// RUN: %not %t.kind 2>&1 | %FileCheck %s -DWHY="not an ELF file"
#include <stdio.h>

int main(void)
{
    int x = 1;
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    printf("ran: %d\n", x);
    return 0;
}

// CHECK-NOT: {{.}}
// CHECK: nowait: error: {{.*}}device 0 (host) has no code for this region, {{.*}}: [[WHY]]{{.*$}}
// CHECK-NOT: {{.}}
