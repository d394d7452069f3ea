// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In opt the plugin runs where it is asked for and at the start of the default pipelines, and in no other pipeline.
//
// RUN: %stock_ir %s -o %t.ll
// RUN: %opt -load-pass-plugin=%pass_plugin -passes=nowait -S %t.ll -o - | %FileCheck %s
// RUN: %opt -load-pass-plugin=%pass_plugin -passes='default<O0>' -S %t.ll -o - | %FileCheck %s
// RUN: %opt -load-pass-plugin=%pass_plugin -passes='default<O2>' -S %t.ll -o - | %FileCheck %s
// RUN: %opt -load-pass-plugin=%pass_plugin -passes=instcombine -S %t.ll -o %t.plugin.ll
// RUN: %opt -passes=instcombine -S %t.ll -o %t.stock.ll
// RUN: cmp %t.plugin.ll %t.stock.ll

// CHECK: call {{.*}}@__nowait_target_task_alloc(
void start(int *data) {
#pragma omp target nowait map(tofrom : data[0 : 1])
  data[0]++;
}
