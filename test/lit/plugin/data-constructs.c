// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// target enter data, exit data and update: the dispatch call loses clang's four zero arguments.
//
// RUN: %host_ir %s | %FileCheck %s --implicit-check-not=@__kmpc_omp_task --implicit-check-not=@__tgt_target_data

// CHECK-LABEL: define {{.*}} @start(
// CHECK: call ptr @__nowait_target_task_alloc({{.*}}, i32 {{[12]}}, i32 1)
// CHECK: call i32 @__nowait_target_task(
// CHECK: call ptr @__nowait_target_task_alloc({{.*}}, i32 1, i32 1)
// CHECK: call i32 @__nowait_target_task_with_deps(
// CHECK: call ptr @__nowait_target_task_alloc({{.*}}, i32 {{[12]}}, i32 1)
// CHECK: call i32 @__nowait_target_task_with_deps(
void start(int n, int *data) {
#pragma omp target enter data map(to : data[0 : n]) nowait
#pragma omp target update from(data[0 : n]) nowait depend(inout : data[0])
#pragma omp target exit data map(from : data[0 : n]) nowait depend(inout : data[0])
}

// CHECK: %nowait.slot = getelementptr i8, ptr %.task_t., i64
// CHECK: call void @__nowait_target_data_begin(ptr @{{[^,]*}}, i64 -1, i32 {{[12]}}, ptr %{{[^,]*}}, ptr %{{[^,]*}},
// CHECK-SAME: ptr {{[^,]*}}, ptr @{{[^,]*}}, ptr null, ptr null, i32 %.global_tid., ptr %.task_t., ptr %nowait.slot)
// CHECK: call void @__nowait_target_data_update(ptr @{{[^,]*}}, i64 -1, i32 1, ptr %{{[^,]*}}, ptr %{{[^,]*}},
// CHECK-SAME: ptr {{[^,]*}}, ptr @{{[^,]*}}, ptr null, ptr null, i32 %.global_tid., ptr %.task_t., ptr %nowait.slot)
// CHECK: call void @__nowait_target_data_end(ptr @{{[^,]*}}, i64 -1, i32 {{[12]}}, ptr %{{[^,]*}}, ptr %{{[^,]*}},
// CHECK-SAME: ptr {{[^,]*}}, ptr @{{[^,]*}}, ptr null, ptr null, i32 %.global_tid., ptr %.task_t., ptr %nowait.slot)
