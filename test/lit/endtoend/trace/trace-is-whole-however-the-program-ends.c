// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace of a program that an error ends, that aborts, is killed, or leaves with regions in flight, is valid JSON
// and has what happened before; but for the last that happened, if nothing of the runtime runs at the end. A child
// process leaves its parent's trace alone.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: env NOWAIT_TRACE=%t.json %not %t.plugin fatal
// RUN: python3 %S/../Inputs/check-trace.py %t.json 20 --cut
// RUN: env NOWAIT_TRACE=%t.json NOWAIT_FATAL=abort %not --crash %t.plugin fatal
// RUN: python3 %S/../Inputs/check-trace.py %t.json 20 --cut
// RUN: env NOWAIT_TRACE=%t.json %not --crash %t.plugin abort
// RUN: python3 %S/../Inputs/check-trace.py %t.json 20 --cut
// RUN: env NOWAIT_TRACE=%t.json %not --crash %nowait-run %t.stock kill
// RUN: python3 %S/../Inputs/check-trace.py %t.json 0 --cut
// RUN: env NOWAIT_TRACE=%t.json %not %t.plugin leave
// RUN: python3 %S/../Inputs/check-trace.py %t.json 0 --cut
// RUN: env NOWAIT_TRACE=%t.json %t.plugin pending
// RUN: python3 %S/../Inputs/check-trace.py %t.json 21
// RUN: env NOWAIT_TRACE=%t.json %t.plugin fork
// RUN: python3 %S/../Inputs/check-trace.py %t.json 21
#include "check.h"
#include <sys/wait.h>

static int absent;

int main(int argc, char **argv)
{
    static int a[20], slow;
    int status = 0;
    watchdog(60);
    CHECK_EQ(argc, 2);
    for (int i = 0; i < 20; i++) {
#pragma omp target map(tofrom : a[i]) nowait
        a[i]++;
    }
#pragma omp taskwait
    if (!strcmp(argv[1], "fork") && fork() == 0) {
#pragma omp target map(tofrom : slow) nowait
        slow = 2;
#pragma omp taskwait
        _exit(slow == 2 ? 0 : 1);
    }
    if (!strcmp(argv[1], "fork")) {
        CHECK(wait(&status) > 0);
        CHECK_EQ(status, 0);
    }
#pragma omp target map(tofrom : slow) nowait
    {
        busy_ms(20);
        slow = 1;
    }
    if (!strcmp(argv[1], "fatal")) {
#pragma omp target map(present, tofrom : absent) nowait
        absent++;
    }
    if (!strcmp(argv[1], "abort"))
        abort();
    if (!strcmp(argv[1], "kill"))
        raise(SIGKILL);
    if (!strcmp(argv[1], "leave"))
        _exit(1);
    return 0;
}
