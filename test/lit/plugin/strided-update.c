// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The description of a strided section is copied into the task, from the frame that may be gone when the update runs.
//
// RUN: %host_ir %s | %FileCheck %s

// CHECK-LABEL: define {{.*}} @start(
// CHECK: %[[DESCRIPTION:dims[^ ]*]] = alloca [3 x %struct.descriptor_dim]
// CHECK: %[[TASK:[^ ]*]] = call ptr @__nowait_target_task_alloc({{.*}}, i64 87, ptr @.omp_task_entry., i64 -1,
// CHECK: %nowait.shareds = load ptr, ptr %[[TASK]]
// CHECK: %nowait.room = inttoptr i64
// CHECK: %[[COPY:nowait.strides[0-9]*]] = getelementptr i8, ptr %nowait.room, i64 0
// CHECK: call void @llvm.memcpy.{{.*}}(ptr align 8 %[[COPY]], ptr align 8 %[[DESCRIPTION]], i64 72, i1 false)
// CHECK: call i32 @__nowait_target_task_with_deps(
void start(double a[10][10]) {
#pragma omp target update from(a[0 : 4 : 2][0 : 3]) depend(inout : a[0][0]) nowait
}

// CHECK-LABEL: define internal void @.omp_outlined.(
// CHECK: %nowait.shareds = load ptr, ptr %.task_t.
// CHECK: %nowait.room = inttoptr i64
// CHECK: %[[ENTRY:nowait.entry[0-9]*]] = getelementptr i8, ptr %[[POINTERS:[^ ]*]], i64 0
// CHECK: %[[COPY:nowait.strides[0-9]*]] = getelementptr i8, ptr %nowait.room, i64 0
// CHECK: store ptr %[[COPY]], ptr %[[ENTRY]]
// CHECK: call void @__nowait_target_data_update({{.*}}, ptr %[[POINTERS]], ptr
