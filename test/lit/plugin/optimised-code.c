// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// opt rewrites code that is already optimised, where the dispatch call has been inlined into the task's entry.
//
// RUN: %clang %offload --offload-host-only -O2 -S -emit-llvm %s -o %t.ll
// RUN: %opt -load-pass-plugin=%pass_plugin -passes='nowait<verify>' -S %t.ll -o - -pass-remarks-missed=nowait \
// RUN:   > %t.plugin.ll 2> %t.remarks.txt
// RUN: %FileCheck %s < %t.plugin.ll
// RUN: %FileCheck %s --check-prefix=ENTRY < %t.plugin.ll
// RUN: %FileCheck %s --check-prefix=MISSED < %t.remarks.txt

// CHECK-LABEL: define {{.*}} @start(
// CHECK: call {{.*}}ptr @__nowait_target_task_alloc(
// CHECK: call i32 @__nowait_target_task_with_deps(
// CHECK: call {{.*}}ptr @__nowait_target_task_alloc(
// CHECK: call i32 @__nowait_target_task(
void start(int n, int *data) {
#pragma omp target nowait map(tofrom : data[0 : n]) depend(inout : data[0])
  data[0]++;
#pragma omp target exit data nowait map(from : data[0 : n])
}

// The host version, which would tell where the task's copy is, has been inlined.
// CHECK-LABEL: define {{.*}} @captures(
// CHECK: call {{.*}}ptr @__kmpc_omp_target_task_alloc(
// CHECK: call i32 @__kmpc_omp_task(
// MISSED: remark: {{.*}} the task's copies of its captured variables cannot be told
void captures(int n, int *data) {
  int array[3] = {n};
#pragma omp target nowait map(tofrom : data[0 : n]) firstprivate(array)
  data[0] += array[1];
}

// ENTRY: define internal {{.*}}i32 @.omp_task_entry.(i32 [[GTID:%.*]], ptr {{[^%]*}}[[TASK:%[^,)]*]])
// ENTRY: [[SLOT:%.*]] = getelementptr i8, ptr [[TASK]], i64
// ENTRY: call i32 @__nowait_target_kernel({{.*}}, i32 [[GTID]], ptr [[TASK]], ptr [[SLOT]])
