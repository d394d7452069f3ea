// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program has put into an interop object's stream is over before a region starts that depends on the object's
// end, however long it takes, and whether the construct that ends it is deferred.
//
// RUN: %cc-plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event %t.plugin
// RUN: %on-cuda NOWAIT_COMPLETION=requeue %t.plugin
// RUN: %on-cuda NOWAIT_COMPLETION=block %t.plugin
#include "emulated.h"

static int before, over;

static void foreign_task(void *argument)
{
    (void)argument;
    CHECK_EQ(before, 1);
    busy_ms(50);
    over = 1;
}

/* A foreign task between two regions; `how` is the construct behind it: 0 use, 1 use nowait, 2 destroy nowait. */
static void between_regions(int how)
{
    omp_interop_t object = omp_interop_none;
    int order = 0, seen = 0;
    before = over = 0;
#pragma omp target map(from : before) depend(out : order) nowait
    before = 1;
#pragma omp interop init(targetsync : object) depend(inout : order)
    void *stream = omp_get_interop_ptr(object, omp_ipr_targetsync, NULL);
    CHECK_EQ(((int (*)(void *, void (*)(void *), void *))emulated("cuLaunchHostFunc"))(stream, foreign_task, NULL), 0);
    if (how == 0) {
#pragma omp interop use(object) depend(inout : order)
    } else if (how == 1) {
#pragma omp interop use(object) nowait depend(inout : order)
    } else {
#pragma omp interop destroy(object) nowait depend(inout : order)
    }
#pragma omp target map(to : over) map(from : seen) depend(in : order) nowait
    seen = over;
#pragma omp taskwait
    CHECK_EQ(seen, 1);
    if (how != 2) {
#pragma omp interop destroy(object)
    }
}

int main(void)
{
    watchdog(60);
    for (int how = 0; how < 3; how++)
        between_regions(how);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int how = 0; how < 3; how++)
        between_regions(how);
    CHECK_EQ(misuses(), 0);
    return 0;
}
