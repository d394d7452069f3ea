// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captured aggregates are read from the task, where clang copies them, and not from the frame that started the region.
//
// RUN: %host_ir %s | %FileCheck %s
// RUN: %clang %offload %use_plugin -O2 -c -Rpass=nowait -o %t.o %s 2>&1 | %FileCheck %s --check-prefix=REMARK

struct pair { int first; double second; };
struct large { char bytes[2000]; };

// REMARK: :[[#@LINE+3]]:1: remark: target region {{.*}}, 3 captured from the task
void start(int n, int *out, struct pair pair, struct large large) {
  int array[3] = {n, 1, 2};
#pragma omp target nowait map(from : out[0 : n]) firstprivate(array, pair, large)
  out[0] = array[0] + pair.first + large.bytes[1] + array[1];
}

// The host version receives the right addresses: the entries of the offload arrays get the same.
// CHECK-LABEL: define internal void @.omp_outlined.(
// CHECK: call void %{{[^,]*}}(ptr %{{[^,]*}}, ptr %[[ARRAY_P:[^,]*]], ptr %[[PAIR_P:[^,]*]], ptr %[[LARGE_P:[^,]*]],
// CHECK: %[[ARRAY:[^ ]*]] = load ptr, ptr %[[ARRAY_P]]
// CHECK: %[[PAIR:[^ ]*]] = load ptr, ptr %[[PAIR_P]]
// CHECK: %[[LARGE:[^ ]*]] = load ptr, ptr %[[LARGE_P]]
// CHECK: %[[BASES:nowait.bases]] = load ptr
// CHECK: %[[POINTERS:nowait.pointers]] = load ptr
// CHECK: %[[ENTRY:[^ ]*]] = getelementptr inbounds ptr, ptr %[[BASES]], i64 {{[12]}}
// CHECK-NEXT: %[[OLD:[^ ]*]] = load ptr, ptr %[[ENTRY]]
// CHECK-NEXT: %[[FROM:[^ ]*]] = ptrtoint ptr %[[OLD]] to i64
// CHECK-NEXT: %[[TO:[^ ]*]] = ptrtoint ptr %[[ARRAY]] to i64
// CHECK-NEXT: %[[DELTA:[^ ]*]] = sub i64 %[[TO]], %[[FROM]]
// CHECK-NEXT: store ptr %[[ARRAY]], ptr %[[ENTRY]]
// CHECK-NEXT: %[[POINTER:[^ ]*]] = getelementptr inbounds ptr, ptr %[[POINTERS]], i64 {{[12]}}
// CHECK-NEXT: %[[OLD_POINTER:[^ ]*]] = load ptr, ptr %[[POINTER]]
// CHECK-NEXT: %[[MOVED:[^ ]*]] = getelementptr i8, ptr %[[OLD_POINTER]], i64 %[[DELTA]]
// CHECK-NEXT: store ptr %[[MOVED]], ptr %[[POINTER]]
// CHECK: store ptr %[[PAIR]], ptr %{{nowait.entry.*}}
// CHECK: store ptr %[[LARGE]], ptr %{{nowait.entry.*}}
// CHECK: call i32 @__nowait_target_kernel(
// CHECK: call void @__omp_offloading_{{[^,]*}}(ptr %{{[^,]*}}, ptr %[[ARRAY]], ptr %[[PAIR]], ptr %[[LARGE]])

// Scalars are captured by value: nothing to mend.
// REMARK: :[[#@LINE+2]]:1: remark: target region {{.*}}, 0 captured from the task
void scalars(int n, double x, int *out) {
#pragma omp target nowait map(from : out[0 : n]) firstprivate(n, x)
  out[0] = n + (int)x + (out == 0);
}

// Too wide for a pointer, so passed by address, as an aggregate is.
// REMARK: :[[#@LINE+2]]:1: remark: target region {{.*}}, 1 captured from the task
void wide(int n, __int128 x, int *out) {
#pragma omp target nowait map(from : out[0 : 1])
  out[0] = (int)(x >> 64);
}
