// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_get_device_num in a region of a CPU device is that device's number: with and without nowait, in functions that
// the region calls, in teams and tasks that it starts; omp_get_default_device likewise, and the host's own default
// device is as before after the region. On the host, and in a region that the host runs, it is the initial device.
// Stock libomptarget answers with the initial device everywhere (OpenMP_VV test_omp_get_device_num).
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { DEVICES = 4, REPETITIONS = 10 };

#pragma omp begin declare target
static __attribute__((noinline)) int ask_below(void)
{
    return omp_get_device_num();
}

static __attribute__((noinline)) int ask(void)
{
    return ask_below();
}
#pragma omp end declare target

static void check_device(int d)
{
    int plain = -9, nested = -9, team = -9, task = -9, deferred = -9, fallback = -9, usual = omp_get_default_device();
    int dflt = -9;
#pragma omp target map(from : plain, nested, team, task, dflt) device(d)
    {
        int sum = 0, in_task = -1;
        plain = omp_get_device_num();
        dflt = omp_get_default_device();
        nested = ask();
#pragma omp parallel num_threads(3) reduction(+ : sum)
        sum += ask() != d;
        team = sum;
#pragma omp parallel num_threads(2)
#pragma omp single
        {
#pragma omp task shared(in_task)
            in_task = ask();
        }
        task = in_task;
    }
    CHECK_EQ(plain, d);
    CHECK_EQ(dflt, d);
    CHECK_EQ(nested, d);
    CHECK_EQ(team, 0);
    CHECK_EQ(task, d);
    CHECK_EQ(omp_get_device_num(), omp_get_initial_device());
    CHECK_EQ(omp_get_default_device(), usual);
#pragma omp target map(from : deferred) device(d) nowait
    deferred = ask();
#pragma omp taskwait
    CHECK_EQ(deferred, d);
#pragma omp target map(from : fallback) device(omp_get_initial_device())
    fallback = ask();
    CHECK_EQ(fallback, omp_get_initial_device());
    CHECK_EQ(omp_get_device_num(), omp_get_initial_device());
}

int main(void)
{
    watchdog(60);
    CHECK_EQ(omp_get_num_devices(), DEVICES);
    omp_set_default_device(3);
    for (int rep = 0; rep < REPETITIONS; rep++) {
        for (int d = 0; d < DEVICES; d++)
            check_device(d);
    }
#pragma omp parallel num_threads(3)
    {
        omp_set_default_device(1);
        for (int rep = 0; rep < REPETITIONS; rep++)
            check_device(omp_get_thread_num());
        CHECK_EQ(omp_get_default_device(), 1);
    }
    CHECK_EQ(omp_get_default_device(), 3);
    return 0;
}
