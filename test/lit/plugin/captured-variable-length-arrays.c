// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang gives a captured variable-length array no room in the task; the plugin gives it a place behind the shareds.
//
// RUN: %host_ir %s | %FileCheck %s
// RUN: %clang %offload %use_plugin -O2 -c -Rpass=nowait -o %t.o %s 2>&1 | %FileCheck %s --check-prefix=REMARK

// REMARK: :[[#@LINE+4]]:1: remark: target region {{.*}}, 3 captured from the task
void start(int n, int *out) {
  int narrow[n], fixed[2] = {n, 1};
  double wide[2 * n];
#pragma omp target nowait map(from : out[0 : n]) firstprivate(narrow, wide, fixed)
  out[0] = narrow[0] + (int)wide[1] + fixed[1];
}

// The allocation: room for the shareds, for two pairs of addresses, and for the arrays, whose sizes are rounded up.
// CHECK-LABEL: define {{.*}} @start(
// CHECK: %[[WIDE_SIZE:.*]] = and i64 %{{.*}}, -16
// CHECK: %[[NARROW_SIZE:.*]] = and i64 %{{.*}}, -16
// CHECK: %[[SIZE:nowait.shareds.size.*]] = add i64 %nowait.shareds.size, %[[NARROW_SIZE]]
// CHECK-NEXT: %[[TASK:[^ ]*]] = call ptr @__nowait_target_task_alloc({{.*}}, i64 %[[SIZE]], ptr @.omp_task_entry.,
// CHECK-NEXT: %nowait.shareds = load ptr, ptr %[[TASK]]
// CHECK: %nowait.room = inttoptr i64
// CHECK: %nowait.place = getelementptr i8, ptr %nowait.room, i64 32
// CHECK: store ptr %nowait.place, ptr
// CHECK: %[[PLACE:nowait.place[0-9]+]] = getelementptr i8, ptr %nowait.place, i64 %[[WIDE_SIZE]]
// CHECK: store ptr %[[PLACE]], ptr
// CHECK: store ptr %vla, ptr
// CHECK-NEXT: call void @llvm.memcpy.{{.*}}(ptr align 8 %[[PLACE]], ptr align 16 %vla,
// CHECK: store ptr %vla1, ptr
// CHECK-NEXT: call void @llvm.memcpy.{{.*}}(ptr align 8 %nowait.place, ptr align 16 %vla1,
// CHECK-NOT: 18446744073709551612
// CHECK: call i32 @__nowait_target_task(

// The region: an entry that holds the address of an array's variable gets the array's place, and so does the host
// version of the region.
// CHECK-LABEL: define internal void @.omp_outlined.(
// CHECK: %[[FIRST:nowait.copy[0-9]*]] = select i1 %{{.*}}, ptr %{{.*}}, ptr %{{.*}}
// CHECK: %[[NARROW:nowait.copy[0-9]*]] = select i1 %{{.*}}, ptr %{{.*}}, ptr %[[FIRST]]
// CHECK: store ptr %[[NARROW]], ptr %nowait.entry
// CHECK: %[[FIRST:nowait.copy[0-9]*]] = select i1 %{{.*}}, ptr %{{.*}}, ptr %{{.*}}
// CHECK: %[[WIDE:nowait.copy[0-9]*]] = select i1 %{{.*}}, ptr %{{.*}}, ptr %[[FIRST]]
// CHECK: store ptr %[[WIDE]], ptr %nowait.entry
// CHECK: call i32 @__nowait_target_kernel(
// CHECK: call void @__omp_offloading_{{.*}}, ptr %[[NARROW]], {{.*}}, ptr %[[WIDE]],
