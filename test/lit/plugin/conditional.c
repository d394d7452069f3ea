// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clauses if and device: clang makes two target tasks; the one that runs on the host stays as it is.
//
// RUN: %host_ir %s | %FileCheck %s

// CHECK-LABEL: define {{.*}} @start(
// CHECK: %[[TASK:.*]] = call ptr @__nowait_target_task_alloc({{.*}}, i64 %{{.*}}, i32 {{[12]}}, i32 1)
// CHECK: call i32 @__nowait_target_task(ptr @{{.*}}, i32 %{{.*}}, ptr %[[TASK]])
// CHECK: %[[HOST_TASK:.*]] = call ptr @__kmpc_omp_target_task_alloc(
// CHECK: call i32 @__kmpc_omp_task(ptr @{{.*}}, i32 %{{.*}}, ptr %[[HOST_TASK]])
void start(int device, int wanted, int *data) {
#pragma omp target nowait map(tofrom : data[0 : 1]) device(device) if (wanted)
  data[0]++;
}

// CHECK-LABEL: define {{.*}} @never(
// CHECK: %[[TASK:.*]] = call ptr @__kmpc_omp_target_task_alloc(
// CHECK: call i32 @__kmpc_omp_task(ptr @{{.*}}, i32 %{{.*}}, ptr %[[TASK]])
void never(int *data) {
#pragma omp target nowait map(tofrom : data[0 : 1]) if (0)
  data[0]++;
}
