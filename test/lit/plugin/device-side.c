// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for a device is compiled exactly as without the plugin, even if it holds what looks like a target task.
//
// RUN: %clang %offload --offload-device-only -O1 -S -emit-llvm %s -o %t.stock.ll
// RUN: %clang %offload %use_plugin --offload-device-only -O1 -S -emit-llvm %s -o %t.plugin.ll
// RUN: cmp %t.plugin.ll %t.stock.ll
//
// RUN: %stock_ir %s -o %t.host.ll
// RUN: sed 's/^target triple = .*/target triple = "nvptx64-nvidia-cuda"/' %t.host.ll > %t.nvptx.ll
// RUN: sed 's/"openmp", i32/"openmp-device", i32/' %t.host.ll > %t.device.ll
// RUN: %opt -load-pass-plugin=%pass_plugin -passes=nowait -S %t.nvptx.ll -o - | %FileCheck %s
// RUN: %opt -load-pass-plugin=%pass_plugin -passes=nowait -S %t.device.ll -o - | %FileCheck %s
// RUN: %opt -load-pass-plugin=%pass_plugin -passes=nowait -S %t.host.ll -o - | %FileCheck %s --check-prefix=HOST

// CHECK-NOT: call{{.*}}nowait
// HOST: call{{.*}}nowait
void start(int *data) {
#pragma omp target nowait map(tofrom : data[0 : 1])
  data[0]++;
}
