// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child process has none of the threads of its parent's devices. Its regions run all the same, and it ends without
// waiting for a region that was in flight in the parent when it was made.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: %run-event
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

static int doubled(int x)
{
#pragma omp target map(tofrom : x) nowait
    x *= 2;
#pragma omp taskwait
    return x;
}

int main(void)
{
    int slow = 0, status = 0;
    watchdog(20);
    CHECK_EQ(doubled(1), 2);
#pragma omp target map(tofrom : slow) nowait
    {
        busy_ms(100);
        slow = 1;
    }
    pid_t child = fork();
    if (child == 0) {
        watchdog(10);
        exit(doubled(21) == 42 ? 0 : 1);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
#pragma omp taskwait
    CHECK_EQ(slow, 1);
    return 0;
}
