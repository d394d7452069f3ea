// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's own detached tasks live beside the regions: a region depends on a detached task that another thread
// fulfils, and a detached task depends on a region.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"
#include <pthread.h>

enum { REPETITIONS = 60 };

struct request {
    omp_event_handle_t event;
    int *x;
    pthread_t thread;
};

static void *finish(void *arg)
{
    struct request *request = arg;
    *request->x += 10;
    omp_fulfill_event(request->event);
    return NULL;
}

static void pass(void)
{
    int x = 1, y = 0;
    struct request first, second;
    omp_event_handle_t event = (omp_event_handle_t)0;
    first.x = second.x = &x;
#pragma omp task depend(inout : x) detach(event) shared(first)
    {
        first.event = event;
        CHECK_EQ(pthread_create(&first.thread, NULL, finish, &first), 0);
    }
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x *= 2;
#pragma omp task depend(inout : x) detach(event) shared(second)
    {
        second.event = event;
        CHECK_EQ(pthread_create(&second.thread, NULL, finish, &second), 0);
    }
#pragma omp target map(to : x) map(from : y) depend(in : x) nowait
    y = x;
#pragma omp taskwait
    CHECK_EQ(x, (1 + 10) * 2 + 10);
    CHECK_EQ(y, x);
    pthread_join(first.thread, NULL);
    pthread_join(second.thread, NULL);
}

int main(void)
{
    watchdog(40);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < REPETITIONS; i++)
        pass();
#pragma omp parallel num_threads(2)
    for (int i = 0; i < REPETITIONS; i++)
        pass();
    return 0;
}
