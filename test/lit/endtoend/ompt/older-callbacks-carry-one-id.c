// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool with the callbacks of OpenMP 5.0: begin and end of a region, its data operations and its launch carry the same
// id, which no other region has. An allocation is told when it has an address.
//
// RUN: %cc-both
// RUN: %tell-both
#define TIMELINE_OLD
#include "check.h"
#include "timeline.h"

int main(void)
{
    static int a[256];
    watchdog(60);
#pragma omp target map(tofrom : a)
    a[0]++;
#pragma omp target map(tofrom : a) nowait
    a[0]++;
#pragma omp taskwait
    CHECK_EQ(a[0], 2);
    int memory = 0;
    for (int i = 0; i < timeline_n; i++) {
        if (strcmp(timeline_events[i].what, "alloc") == 0) {
            CHECK(timeline_events[i].to != NULL);
            memory++;
        }
    }
    CHECK_EQ(memory, 2);
    return 0;
}

// CHECK: target, device 0, task 1, in main
// CHECK-NEXT: alloc 1024 bytes, 4 to 0
// CHECK-NEXT: to-device 1024 bytes, 4 to 0
// CHECK-NEXT: submit 1 teams
// CHECK-NEXT: from-device 1024 bytes, 0 to 4
// CHECK-NEXT: delete 1024 bytes, 0 to -1
// CHECK-NEXT: end
// CHECK-NEXT: target nowait, device 0, task 1, in main
// CHECK-NEXT: alloc 1024 bytes, 4 to 0
// CHECK-NEXT: to-device 1024 bytes, 4 to 0
// CHECK-NEXT: submit 1 teams
// CHECK-NEXT: from-device 1024 bytes, 0 to 4
// CHECK-NEXT: delete 1024 bytes, 0 to -1
// CHECK-NEXT: end
// CHECK: timeline: ok
