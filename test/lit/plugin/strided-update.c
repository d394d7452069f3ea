// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The description of a strided section is copied into the task, from the frame that may be gone when the update runs;
// its last record says where the section begins, in updates without nowait too.
//
// RUN: %host_ir %s | %FileCheck %s

// CHECK-LABEL: define {{.*}} @start(
// CHECK: %[[DESCRIPTION:dims[^ ]*]] = alloca [3 x %struct.descriptor_dim]
// CHECK: store ptr %[[BEGIN:[^,]*]], ptr %[[SLOT:[^ ,]*]]
// CHECK: store ptr %[[DESCRIPTION]], ptr
// CHECK-NEXT: %nowait.last = getelementptr i8, ptr %[[DESCRIPTION]], i64 48
// CHECK: %nowait.begin = ptrtoint ptr %{{.*}} to i64
// CHECK-NEXT: store i64 %nowait.begin, ptr %nowait.last
// CHECK: store i64 %nowait.element
// CHECK: store i64 7234297646522838382
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

// CHECK-LABEL: define {{.*}} @synchronous(
// CHECK: store i64 %nowait.begin, ptr %nowait.last
// CHECK: call void @__tgt_target_data_update_mapper(
void synchronous(double a[10][10]) {
#pragma omp target update from(a[1 : 4 : 2][1 : 3])
}
