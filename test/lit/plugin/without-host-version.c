// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fopenmp-offload-mandatory: there is no host version of the region to tell the places of captured aggregates.
//
// RUN: %clang %offload %use_plugin -fopenmp-offload-mandatory -Rpass=nowait -Rpass-missed=nowait -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s

// CHECK: :[[#@LINE+4]]:1: remark: deferred target construct left as it is: the task's copies of its captured variables
// CHECK: :[[#@LINE+5]]:1: remark: target region does not block the host
void start(int n, int *out) {
  int array[3] = {n};
#pragma omp target nowait map(from : out[0 : n]) firstprivate(array)
  out[0] = array[0];
#pragma omp target nowait map(tofrom : out[0 : n])
  out[0] += n;
}
