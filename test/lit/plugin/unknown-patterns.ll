; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Target tasks that do not look as clang makes them are left as they are, each with its reason.
;
; RUN: %opt -load-pass-plugin=%pass_plugin -passes='nowait<verify>' -S %s -o %t.ll -pass-remarks-missed=nowait \
; RUN:   -pass-remarks=nowait 2> %t.txt
; RUN: %FileCheck %s < %t.txt
; RUN: %FileCheck %s --check-prefix=CODE --implicit-check-not='call {{.*}}@__nowait' < %t.ll
; RUN: %opt -load-pass-plugin=%pass_plugin -passes='nowait<verify>' -S %s -o - | %FileCheck %s --check-prefix=NOMARK

; CHECK-NOT: does not block
; CODE-COUNT-10: call ptr @__kmpc_omp_target_task_alloc(
; NOMARK-NOT: nowait.rewritten

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare ptr @__kmpc_omp_target_task_alloc(ptr, i32, i32, i64, i64, ptr, i64)
declare i32 @__kmpc_omp_task(ptr, i32, ptr)
declare i32 @__tgt_target_kernel(ptr, i64, i32, i32, ptr, ptr)
declare void @__tgt_target_data_begin_nowait_mapper(ptr, i64, i32, ptr, ptr, ptr, ptr, ptr, ptr, i32, ptr, i32, ptr)
declare void @use(ptr)

; CHECK: its entry is not a function of this file
define void @entry_from_elsewhere(ptr %entry) {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 0, ptr %entry, i64 -1)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task)
  ret void
}

; CHECK: no submission of the task was found
define internal i32 @entry1(i32 %gtid, ptr %task) {
  call void @__tgt_target_data_begin_nowait_mapper(ptr null, i64 -1, i32 0, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 0, ptr null, i32 0, ptr null)
  ret i32 0
}
define void @never_submitted() {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 0, ptr @entry1, i64 -1)
  ret void
}

; CHECK: the task is handed to something other than its submission
define internal i32 @entry2(i32 %gtid, ptr %task) {
  call void @__tgt_target_data_begin_nowait_mapper(ptr null, i64 -1, i32 0, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 0, ptr null, i32 0, ptr null)
  ret i32 0
}
define void @handed_on() {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 0, ptr @entry2, i64 -1)
  call void @use(ptr %task)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task)
  ret void
}

; CHECK: the size of the task is not a known constant
define internal i32 @entry3(i32 %gtid, ptr %task) {
  call void @__tgt_target_data_begin_nowait_mapper(ptr null, i64 -1, i32 0, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 0, ptr null, i32 0, ptr null)
  ret i32 0
}
define void @size_varies(i64 %size) {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 %size, i64 0, ptr @entry3, i64 -1)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task)
  ret void
}

; CHECK: the number of its map entries is not a known constant
define internal i32 @entry4(i32 %gtid, ptr %task) {
  %n = load i32, ptr %task
  call void @__tgt_target_data_begin_nowait_mapper(ptr null, i64 -1, i32 %n, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 0, ptr null, i32 0, ptr null)
  ret i32 0
}
define void @count_varies() {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 0, ptr @entry4, i64 -1)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task)
  ret void
}

; CHECK: its entry is used by something other than task allocations
define internal i32 @entry5(i32 %gtid, ptr %task) {
  call void @__tgt_target_data_begin_nowait_mapper(ptr null, i64 -1, i32 0, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 0, ptr null, i32 0, ptr null)
  ret i32 0
}
define void @entry_escapes() {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 0, ptr @entry5, i64 -1)
  call void @use(ptr @entry5)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task)
  ret void
}

; CHECK: its outlined function has more than one caller
define internal void @outlined6(i32 %gtid, ptr %task) {
  call void @__tgt_target_data_begin_nowait_mapper(ptr null, i64 -1, i32 0, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 0, ptr null, i32 0, ptr null)
  ret void
}
define internal i32 @entry6(i32 %gtid, ptr %task) {
  call void @outlined6(i32 %gtid, ptr %task)
  ret i32 0
}
define void @outlined_is_shared() {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 0, ptr @entry6, i64 -1)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task)
  call void @outlined6(i32 0, ptr %task)
  ret void
}

; CHECK: its outlined function does not receive the task
define internal void @outlined7(i32 %gtid) {
  call void @__tgt_target_data_begin_nowait_mapper(ptr null, i64 -1, i32 0, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 0, ptr null, i32 0, ptr null)
  ret void
}
define internal i32 @entry7(i32 %gtid, ptr %task) {
  call void @outlined7(i32 %gtid)
  ret i32 0
}
define void @task_is_not_passed() {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 0, ptr @entry7, i64 -1)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task)
  ret void
}

; CHECK: its entry makes no offload call: the region runs on the host
define internal i32 @entry8(i32 %gtid, ptr %task) {
  call void @use(ptr %task)
  ret i32 0
}
define void @host_only() {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 0, ptr @entry8, i64 -1)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task)
  ret void
}

; CHECK: the number of its map entries is not a known constant
define internal i32 @entry9(i32 %gtid, ptr %task) {
  %1 = call i32 @__tgt_target_kernel(ptr null, i64 -1, i32 -1, i32 0, ptr null, ptr %task)
  ret i32 0
}
define void @block_from_elsewhere() {
  %task = call ptr @__kmpc_omp_target_task_alloc(ptr null, i32 0, i32 1, i64 40, i64 0, ptr @entry9, i64 -1)
  %1 = call i32 @__kmpc_omp_task(ptr null, i32 0, ptr %task)
  ret void
}
; CHECK-NOT: {{.}}
