// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region with in_reduction shares its thread's private copy: libnowait is told so (0x100), and of no other region.
//
// RUN: %host_ir %s | %FileCheck %s

// CHECK-LABEL: define {{.*}} @start(
int start(int n, int *data) {
  int sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  {
// CHECK: call ptr @__nowait_target_task_alloc({{.*}}, i32 257)
#pragma omp target in_reduction(+ : sum) nowait
    sum += n;
// CHECK: call ptr @__nowait_target_task_alloc({{.*}}, i32 1)
#pragma omp target map(tofrom : data[0 : 1]) nowait
    data[0] += n;
  }
  return sum;
}
