// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool with the target_map callback is told of each map, with its flags and whether it has a place on the device;
// NOWAIT_TOOL_MAPS=0 keeps to libomp's word that this callback never comes.
//
// RUN: %cc-both
// RUN: %tell-both
// RUN: env NOWAIT_TOOL_MAPS=0 %t.plugin | %FileCheck --check-prefix=OFF %s
#define TIMELINE_MAPS
#include "check.h"
#include "timeline.h"

int main(void)
{
    static int a[256], b[64], c[16];
    watchdog(60);
#pragma omp target enter data map(to : a) map(alloc : b)
#pragma omp target map(tofrom : b) map(from : c) nowait
    c[0] = b[0];
#pragma omp taskwait
#pragma omp target exit data map(release : a) map(delete : b) nowait
#pragma omp taskwait
    return 0;
}

// CHECK: enter data, device 0
// CHECK-NEXT: map 1024 bytes flags 0x1{{$}}
// CHECK-NEXT: map 256 bytes flags 0x4{{$}}
// CHECK-NEXT: alloc
// CHECK: target nowait, device 0
// CHECK-DAG: map 256 bytes flags 0x3{{$}}
// CHECK-DAG: map 64 bytes flags 0x2{{$}}
// CHECK: alloc 64 bytes
// CHECK: exit data nowait, device 0
// CHECK-NEXT: map 1024 bytes flags 0x8{{$}}
// CHECK-NEXT: map 256 bytes flags 0x10{{$}}
// CHECK: timeline: ok
// OFF-NOT: {{^ +}}map
// OFF: timeline: ok
