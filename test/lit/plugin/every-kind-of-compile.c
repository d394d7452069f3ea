// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The construct is rewritten at every optimisation level and whatever the compiler is asked to write.
//
// RUN: mkdir -p %t && cd %t
// RUN: for level in 0 1 2 3 s; do %clang %offload %use_plugin -O$level -c %s -o O$level.o && nm O$level.o; done \
// RUN:   | %FileCheck %s --check-prefix=EACH
// RUN: %clang %offload %use_plugin -g -O2 -c %s -o debug.o && nm debug.o | %FileCheck %s
// RUN: %clang %offload %use_plugin -O2 -S %s -o asm.s && %FileCheck %s < asm.s
// RUN: %clang %offload %use_plugin -O2 -save-temps=obj -c %s -o temps.o && nm temps.o | %FileCheck %s
// RUN: %clang %offload %use_plugin -O2 -c %s %S/kernel.c && nm kernel.o \
// RUN:   | %FileCheck %s
// RUN: %clang %offload %use_plugin --offload-host-only -O2 -flto -S -emit-llvm %s -o lto.ll && %FileCheck %s < lto.ll
// RUN: %clang %offload %use_plugin --offload-host-only -O2 -flto=thin -S -emit-llvm %s -o thin.ll
// RUN: %FileCheck %s < thin.ll
// RUN: %clang %offload %use_plugin --offload-host-only -O0 -S -emit-llvm %s -o O0.ll && %FileCheck %s < O0.ll
// RUN: %clang %offload %use_plugin -O2 -flto -c %s -o lto.o
// RUN: %clang -fopenmp %use_plugin -O2 -c %s -o host.o && nm host.o | %FileCheck %s --check-prefix=HOST
// RUN: %clang %use_plugin -O2 -c %s -o plain.o && nm plain.o | %FileCheck %s --check-prefix=PLAIN
// RUN: %clang %offload %use_plugin -E %s | %FileCheck %s --check-prefix=SOURCE
// RUN: %clang %offload %use_plugin -fsyntax-only %s 2>&1 | %count 0
// RUN: %clang %offload %use_plugin -x c-header %s -o header.pch 2>&1 | %count 0

// EACH-COUNT-5: U __nowait_target_task_alloc
// CHECK: __nowait_target_kernel
// HOST: __kmpc_omp_target_task_alloc
// PLAIN-NOT: nowait
// SOURCE: #pragma omp target nowait
void start(int *data) {
#pragma omp target nowait map(tofrom : data[0 : 1])
  data[0]++;
}
