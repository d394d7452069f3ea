// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deferred region: allocation, submission and dispatch go to libnowait, the dispatch with the task and its slot.
//
// RUN: %host_ir %s | %FileCheck %s --implicit-check-not=@__kmpc_omp_task --implicit-check-not=@__tgt_target_kernel

// CHECK-LABEL: define {{.*}} @start(
// CHECK: %[[TASK:.*]] = call ptr @__nowait_target_task_alloc(ptr @{{.*}}, i32 %[[GTID:[^,]*]], i32 1,
// CHECK-SAME: i64 {{[0-9]+}}, i64 {{[0-9]+}}, ptr @.omp_task_entry., i64 -1, i32 {{[12]}}, i32 1)
// CHECK: call i32 @__nowait_target_task(ptr @{{.*}}, i32 %[[GTID]], ptr %[[TASK]])
void start(int n, int *data) {
#pragma omp target nowait map(tofrom : data[0 : n])
  data[0]++;
}

// The slot begins at the size of the task, rounded up to 16.
// CHECK-LABEL: define internal void @.omp_outlined.(
// CHECK: %nowait.slot = getelementptr i8, ptr %.task_t., i64
// CHECK-NEXT: %[[RESULT:.*]] = call i32 @__nowait_target_kernel(ptr @{{.*}}, i64 -1, i32 -1, i32 0,
// CHECK-SAME: ptr @{{.*}}.region_id, ptr %{{.*}}, i32 %.global_tid., ptr %.task_t., ptr %nowait.slot)
// CHECK-NEXT: icmp ne i32 %[[RESULT]], 0
