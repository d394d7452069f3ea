// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool is told of each construct, with and without nowait: begin and end, its data operations with sizes and devices,
// the launch with the number of teams, the generating task, and the function of the construct.
//
// RUN: %cc-both
// RUN: %tell-both
#include "check.h"
#include "timeline.h"

static int a[256], b[64];

static __attribute__((noinline)) void waiting(void)
{
#pragma omp target map(tofrom : a) map(to : b)
    a[0] += b[0] + 1;
#pragma omp target data map(tofrom : a)
    {
#pragma omp target teams num_teams(3) map(a)
        if (omp_get_team_num() == 0)
            a[1]++;
#pragma omp target update from(a)
    }
#pragma omp target enter data map(alloc : b)
#pragma omp target update to(b) device(0)
#pragma omp target exit data map(delete : b)
}

static __attribute__((noinline)) void deferred(void)
{
    int array[4] = {1, 2, 3, 4};
#pragma omp target map(tofrom : a) firstprivate(array) nowait
    a[2] += array[3];
#pragma omp taskwait
#pragma omp target teams num_teams(2) map(from : b) device(1) depend(out : b) nowait
    if (omp_get_team_num() == 0)
        b[0] = 5;
#pragma omp taskwait
#pragma omp target enter data map(to : a) depend(out : a) nowait
#pragma omp target update from(a[0 : 16]) depend(inout : a) nowait
#pragma omp taskwait
#pragma omp target exit data map(from : a) nowait
#pragma omp taskwait
}

int main(void)
{
    watchdog(60);
    waiting();
    deferred();
    CHECK_EQ(a[0], 1);
    CHECK_EQ(a[1], 1);
    CHECK_EQ(a[2], 4);
    CHECK_EQ(b[0], 5);
    CHECK(timeline_attached);
    return 0;
}

// CHECK: device 0 initialize {{host|cuda}}
// CHECK-NEXT: device 0 load module [[M:[0-9]+]] from its file
//
// CHECK-NEXT: target, device 0, task 1, in waiting
// CHECK-DAG: alloc 1024 bytes, 4 to 0
// CHECK-DAG: to-device 1024 bytes, 4 to 0
// CHECK-DAG: alloc 256 bytes, 4 to 0
// CHECK-DAG: to-device 256 bytes, 4 to 0
// CHECK: submit 1 teams
// CHECK-NEXT: from-device 1024 bytes, 0 to 4
// CHECK-NEXT: delete {{1024|256}} bytes, 0 to -1
// CHECK-NEXT: delete {{1024|256}} bytes, 0 to -1
// CHECK-NEXT: end
//
// CHECK-NEXT: enter data, device 0, task 1, in waiting
// CHECK-NEXT: alloc 1024 bytes, 4 to 0
// CHECK-NEXT: to-device 1024 bytes, 4 to 0
// CHECK-NEXT: end
// CHECK-NEXT: target, device 0, task 1, in waiting
// CHECK-NEXT: submit 3 teams
// CHECK-NEXT: end
// CHECK-NEXT: update, device 0, task 1, in waiting
// CHECK-NEXT: from-device 1024 bytes, 0 to 4
// CHECK-NEXT: end
// CHECK-NEXT: exit data, device 0, task 1, in waiting
// CHECK-NEXT: from-device 1024 bytes, 0 to 4
// CHECK-NEXT: delete 1024 bytes, 0 to -1
// CHECK-NEXT: end
//
// CHECK-NEXT: enter data, device 0, task 1, in waiting
// CHECK-NEXT: alloc 256 bytes, 4 to 0
// CHECK-NEXT: end
// CHECK-NEXT: update, device 0, task 1, in waiting
// CHECK-NEXT: to-device 256 bytes, 4 to 0
// CHECK-NEXT: end
// CHECK-NEXT: exit data, device 0, task 1, in waiting
// CHECK-NEXT: delete 256 bytes, 0 to -1
// CHECK-NEXT: end
//
// CHECK-NEXT: target nowait, device 0, task 1, in deferred
// CHECK-DAG: alloc 1024 bytes, 4 to 0
// CHECK-DAG: alloc {{[0-9]+}} bytes, 4 to 0
// CHECK-DAG: to-device 16 bytes, 4 to 0
// CHECK-DAG: to-device 1024 bytes, 4 to 0
// CHECK: submit 1 teams
// CHECK-NEXT: from-device 1024 bytes, 0 to 4
// CHECK-NEXT: delete {{[0-9]+}} bytes, 0 to -1
// CHECK-NEXT: delete {{[0-9]+}} bytes, 0 to -1
// CHECK-NEXT: end
//
// CHECK-NEXT: device 1 initialize {{host|cuda}}
// CHECK-NEXT: device 1 load module [[M]] from its file
// CHECK-NEXT: target nowait, device 1, task 1, in deferred
// CHECK-NEXT: alloc 256 bytes, 4 to 1
// CHECK-NEXT: submit 2 teams
// CHECK-NEXT: from-device 256 bytes, 1 to 4
// CHECK-NEXT: delete 256 bytes, 1 to -1
// CHECK-NEXT: end
//
// CHECK-NEXT: enter data nowait, device 0, task 1, in deferred
// CHECK-NEXT: alloc 1024 bytes, 4 to 0
// CHECK-NEXT: to-device 1024 bytes, 4 to 0
// CHECK-NEXT: end
// CHECK-NEXT: update nowait, device 0, task 1, in deferred
// CHECK-NEXT: from-device 64 bytes, 0 to 4
// CHECK-NEXT: end
// CHECK-NEXT: exit data nowait, device 0, task 1, in deferred
// CHECK-NEXT: from-device 1024 bytes, 0 to 4
// CHECK-NEXT: delete 1024 bytes, 0 to -1
// CHECK-NEXT: end
//
// CHECK-NEXT: device 0 unload module [[M]]
// CHECK-NEXT: device 0 finalize
// CHECK-NEXT: device 1 unload module [[M]]
// CHECK-NEXT: device 1 finalize
// CHECK-NEXT: timeline: ok
