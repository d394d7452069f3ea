// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without a device to compile for, clang makes target tasks that only run host code: they stay exactly as they are.
//
// RUN: %clang -fopenmp %use_plugin -O1 -S -emit-llvm %s -o %t.plugin.ll
// RUN: %clang -fopenmp -O1 -S -emit-llvm %s -o %t.stock.ll
// RUN: cmp %t.plugin.ll %t.stock.ll
// RUN: %clang -fopenmp %use_plugin -Rpass=nowait -Rpass-missed=nowait -O1 -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang %use_plugin -Rpass=nowait -Rpass-missed=nowait -O1 -c %s -o %t.o 2>&1 | %count 0

// CHECK-NOT: remark:
// CHECK: host-only.c:[[#@LINE+3]]:1: remark: {{.*}} its entry makes no offload call
// CHECK-NOT: remark:
void start(int *data) {
#pragma omp target nowait map(tofrom : data[0 : 1])
  data[0]++;
}
