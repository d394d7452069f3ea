// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deferred region with dependences, and the kinds of region that a kernel can be.
//
// RUN: %host_ir %s | %FileCheck %s --implicit-check-not=@__kmpc_omp_task_with_deps \
// RUN:   --implicit-check-not=@__tgt_target_kernel

// CHECK-LABEL: define {{.*}} @start(
void start(int n, int *data) {
// CHECK: %[[FIRST:.*]] = call ptr @__nowait_target_task_alloc(
// CHECK: call i32 @__nowait_target_task_with_deps(ptr @{{.*}}, i32 %{{.*}}, ptr %[[FIRST]], i32 1,
// CHECK-SAME: ptr %{{.*}}, i32 0, ptr null)
#pragma omp target nowait map(tofrom : data[0 : n]) depend(inout : data[0])
  data[0]++;

// CHECK: %[[SECOND:.*]] = call ptr @__nowait_target_task_alloc(
// CHECK: call i32 @__nowait_target_task_with_deps(ptr @{{.*}}, i32 %{{.*}}, ptr %[[SECOND]], i32 2,
// CHECK-SAME: ptr %{{.*}}, i32 0, ptr null)
#pragma omp target teams distribute parallel for nowait map(tofrom : data[0 : n]) depend(inout : data[0]) depend(in : n)
  for (int i = 0; i < n; i++)
    data[i]++;

// CHECK: %[[THIRD:.*]] = call ptr @__nowait_target_task_alloc(
// CHECK: call i32 @__nowait_target_task(ptr @{{.*}}, i32 %{{.*}}, ptr %[[THIRD]])
#pragma omp target parallel for simd nowait map(tofrom : data[0 : n]) num_threads(2)
  for (int i = 0; i < n; i++)
    data[i]++;
}

// CHECK: call i32 @__nowait_target_kernel({{.*}}, i32 -1, i32 0, ptr
// CHECK: call i32 @__nowait_target_kernel({{.*}}, i32 0, i32 0, ptr
// CHECK: call i32 @__nowait_target_kernel({{.*}}, i32 1, i32 2, ptr
