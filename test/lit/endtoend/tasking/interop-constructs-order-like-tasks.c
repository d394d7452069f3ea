// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// interop init, use and destroy with nowait return at once and act as empty tasks with their dependences: they come
// after the region they depend on, which a gate holds, and before what depends on them. (llvm-project 62627: stock
// libomptarget waits inside the construct, and 19 crashes on the CPU device.)
//
// With a stream that the program has seen, a GPU's interop use waits for what it depends on: its own test is in cuda/.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: %run-nonblocking
#include "check.h"

enum { REPETITIONS = 10 };

/* Runs `directive`, which has to join a to b, between a region that is held and one that depends on b. */
#define JOINS(directive)                                                                                               \
    do {                                                                                                               \
        int a = 0, b = 0, seen[2] = {0, 0}, words[2] = {0, 0}, *gate = &words[0], *over = &words[1];                   \
        _Pragma("omp target map(to : a) is_device_ptr(gate, over) depend(out : a) nowait")                             \
        {                                                                                                              \
            gate_wait(gate);                                                                                           \
            sleep_us(300);                                                                                             \
            count_up(over);                                                                                            \
        }                                                                                                              \
        _Pragma(directive);                                                                                            \
        _Pragma("omp target map(from : seen[0:1]) is_device_ptr(over) depend(in : b) nowait") seen[0] = peek(over);    \
        if (with_host_task) {                                                                                          \
            _Pragma("omp task shared(seen, words) depend(in : b)") seen[1] = peek(&words[1]);                          \
        }                                                                                                              \
        CHECK_EQ(peek(over), 0);                                                                                       \
        gate_open(gate);                                                                                               \
        _Pragma("omp taskwait");                                                                                       \
        CHECK_EQ(seen[0], 1);                                                                                          \
        CHECK_EQ(seen[1], with_host_task);                                                                             \
    } while (0)

static void deferred(int device, int with_host_task)
{
    omp_interop_t object = omp_interop_none;
    JOINS("omp interop init(targetsync : object) device(device) nowait depend(in : a) depend(out : b)");
    CHECK_NE((intptr_t)object, (intptr_t)omp_interop_none);
    JOINS("omp interop use(object) nowait depend(in : a) depend(out : b)");
    /* With a queue that somebody has seen. */
    omp_get_interop_ptr(object, omp_ipr_targetsync, NULL);
    JOINS("omp interop use(object) nowait depend(in : a) depend(out : b)");
    JOINS("omp interop destroy(object) nowait depend(in : a) depend(out : b)");
    CHECK_EQ((intptr_t)object, (intptr_t)omp_interop_none);
}

/* Without nowait, what they depend on is over when they return. */
static void undeferred(int device)
{
    omp_interop_t object = omp_interop_none;
    int x = 0;
#define ADD_ONE_LATE                                                                                                   \
    _Pragma("omp target map(tofrom : x) depend(inout : x) nowait")                                                     \
    {                                                                                                                  \
        sleep_us(1000);                                                                                                \
        x++;                                                                                                           \
    }
    ADD_ONE_LATE
#pragma omp interop init(targetsync : object) device(device) depend(in : x)
    CHECK_EQ(x, 1);
    ADD_ONE_LATE
#pragma omp interop use(object) depend(inout : x)
    CHECK_EQ(x, 2);
    ADD_ONE_LATE
#pragma omp interop destroy(object) depend(in : x)
    CHECK_EQ(x, 3);
    CHECK_EQ((intptr_t)object, (intptr_t)omp_interop_none);
}

/* Nothing waits for them but taskwait and the end of the program. */
static void without_dependences(int device)
{
    omp_interop_t object;
#pragma omp interop init(target, targetsync : object) device(device) nowait
    omp_get_interop_ptr(object, omp_ipr_targetsync, NULL);
#pragma omp interop use(object) nowait
#pragma omp taskwait
#pragma omp interop use(object)
#pragma omp interop destroy(object) nowait
}

static void pass(int with_host_task)
{
    /* The initial device too. */
    for (int device = 0; device <= omp_get_num_devices(); device++) {
        deferred(device, with_host_task);
        undeferred(device);
        without_dependences(device);
    }
}

int main(void)
{
    watchdog(60);
    /* In serial code the first host task with dependences waits for the regions before it; here there are none. */
    for (int with_host_task = 0; with_host_task <= 1; with_host_task++) {
        for (int i = 0; i < REPETITIONS; i++)
            pass(with_host_task);
        int x = 0;
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp taskwait
        CHECK_EQ(x, 1);
    }
#pragma omp parallel num_threads(3)
    pass(1);
    without_dependences(0);
    return 0;
}
