; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Inlining may copy an allocation: every allocation that names the entry is rewritten with it.
;
; RUN: %opt -load-pass-plugin=%pass_plugin -passes='nowait<verify>' -S %s -o - | %FileCheck %s --implicit-check-not=__kmpc

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare ptr @__kmpc_omp_target_task_alloc(ptr, i32, i32, i64, i64, ptr, i64)
declare i32 @__kmpc_omp_task(ptr, i32, ptr)
declare i32 @__kmpc_omp_task_with_deps(ptr, i32, ptr, i32, ptr, i32, ptr)
declare void @__tgt_target_data_begin_nowait_mapper(ptr, i64, i32, ptr, ptr, ptr, ptr, ptr, ptr, i32, ptr, i32, ptr)

; The task of 41 bytes has its slot at the next multiple of 16.
; CHECK-LABEL: define internal i32 @entry(
; CHECK: %nowait.slot = getelementptr i8, ptr %task, i64 48
; CHECK: call void @__nowait_target_data_begin({{.*}}, i32 %gtid, ptr %task, ptr %nowait.slot)
define internal i32 @entry(i32 %gtid, ptr %task) {
  call void @__tgt_target_data_begin_nowait_mapper(ptr null, i64 -1, i32 3, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 0, ptr null, i32 0, ptr null)
  ret i32 0
}

; CHECK-LABEL: define void @start(
; CHECK: %[[ONE:.*]] = call ptr @__nowait_target_task_alloc({{.*}}, ptr @entry, i64 -1, i32 3, i32 1)
; CHECK: call i32 @__nowait_target_task(ptr null, i32 0, ptr %[[ONE]])
; CHECK: %[[TWO:.*]] = call ptr @__nowait_target_task_alloc({{.*}}, ptr @entry, i64 -1, i32 3, i32 1)
; CHECK: call i32 @__nowait_target_task_with_deps(ptr null, i32 0, ptr %[[TWO]], i32 1, ptr %deps, i32 0, ptr null)
define void @start(ptr %deps) {
  %one = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 41, i64 0, ptr @entry, i64 -1)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %one)
  %two = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 41, i64 0, ptr @entry, i64 -1)
  %2 = call i32 @__kmpc_omp_task_with_deps(ptr null, i32 0, ptr %two, i32 1, ptr %deps, i32 0, ptr null)
  ret void
}
