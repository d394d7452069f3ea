// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A construct's first encounter is like any later one: chains that begin with first encounters, behind a region that is
// held up, set each other off without their thread. It goes on with host work that has no scheduling point, and finds
// them done. With and without the plugin, whatever the compiler aligns, and with a tool.
//
// RUN: %cc-both
// RUN: %run-event
// RUN: %stock-clang %flags -Os %s -o %t.small && %nowait-run %t.small
// RUN: %stock-clang %flags -O0 -fno-plt -Wl,-z,now %s -o %t.bound && %nowait-run %t.bound
// RUN: %nowait-clang %flags -DTOOL %s -o %t.tool && %t.tool
// RUN: %stock-clang %flags -DTOOL %s -o %t.tool && %nowait-run %t.tool
// REQUIRES: device-host
#include "check.h"
#ifdef TOOL
#define TIMELINE_QUIET
#include "timeline.h"
#endif

enum { LINKS = 50 };

static void held_up(int *x, int *gate)
{
#pragma omp target map(tofrom : x[0 : 1]) is_device_ptr(gate) depend(inout : x[0]) nowait
    {
        gate_wait(gate);
        x[0]++;
    }
}

static void first(int *x, int *done)
{
#pragma omp target map(tofrom : x[0 : 1]) is_device_ptr(done) depend(inout : x[0]) nowait
    __atomic_fetch_add(done, ++x[0] > 0, __ATOMIC_RELEASE);
}

/* What travels by address keeps its value. */
static void second(int *x, int *done)
{
    int add[2] = {1, 2};
#pragma omp target map(tofrom : x[0 : 1]) is_device_ptr(done) firstprivate(add) depend(inout : x[0]) nowait
    {
        x[0] += add[1] - add[0];
        __atomic_fetch_add(done, 1, __ATOMIC_RELEASE);
    }
    add[0] = add[1] = 100;
}

static void transfer(int *x)
{
#pragma omp target update to(x[0 : 1]) depend(inout : x[0]) nowait
}

static void without_depend(int *done)
{
#pragma omp target is_device_ptr(done) nowait
    __atomic_fetch_add(done, 1, __ATOMIC_RELEASE);
}

int main(void)
{
    int x = 0, gate = 0, done = 0, n = 0;
    watchdog(60);
    held_up(&x, &gate);
    for (int i = 0; i < LINKS; i++) {
        first(&x, &done);
        second(&x, &done);
        transfer(&x);
        n += 2;
    }
    without_depend(&done);
    wait_for(&done, 1);
    CHECK_EQ(peek(&done), 1);
    gate_open(&gate);
    wait_for(&done, n + 1);
#pragma omp taskwait
    CHECK_EQ(x, 2 * LINKS + 1);
    return 0;
}
