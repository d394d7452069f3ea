// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that used regions ends with the status that it chose, whether main returns or calls exit, and its atexit
// handlers and destructors may use the device one last time.
//
// RUN: %cc-both
// RUN: %t.plugin 0 2>&1 | %FileCheck %s
// RUN: %not %t.plugin 3 2>&1 | %FileCheck %s
// RUN: %nowait-run %t.stock 0 2>&1 | %FileCheck %s
// RUN: sh -c '%t.plugin 3 > /dev/null; test $? -eq 3'
// RUN: sh -c '%nowait-run %t.stock 5 > /dev/null; test $? -eq 5'
// CHECK: main ends with 1
// CHECK: handler sees 11
#include "check.h"

static int x;

static void handler(void)
{
#pragma omp target map(tofrom : x) nowait
    x += 10;
#pragma omp taskwait
    printf("handler sees %d\n", x);
}

int main(int argc, char **argv)
{
    watchdog(30);
    atexit(handler);
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    printf("main ends with %d\n", x);
    return argc > 1 ? atoi(argv[1]) : 0;
}
