// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// However often the plugin is loaded, and however often a module passes through it, it acts once.
//
// RUN: cp %plugin %t-copy.so
// RUN: %stock_ir %s -o %t.stock.ll
// RUN: %opt -load-pass-plugin=%pass_plugin -passes='nowait<verify>' -S %t.stock.ll -o %t.once.ll
// RUN: %opt -load-pass-plugin=%pass_plugin -passes='nowait<verify>,nowait<verify>' -S %t.stock.ll -o %t.twice.ll
// RUN: cmp %t.once.ll %t.twice.ll
// RUN: %opt -load-pass-plugin=%pass_plugin -passes='nowait<verify>' -S < %t.once.ll -o %t.again.ll
// RUN: %opt -S < %t.once.ll -o %t.copy.ll
// RUN: cmp %t.copy.ll %t.again.ll
//
// RUN: %clang %offload %use_plugin -fplugin=%plugin -Rpass=nowait -Rpass-missed=nowait -O1 -c %s \
// RUN:   -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang %offload %use_plugin -fplugin=%t-copy.so -Rpass=nowait -Rpass-missed=nowait -O1 -c %s \
// RUN:   -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang %offload %use_plugin -fpass-plugin=%pass_plugin -Rpass=nowait -Rpass-missed=nowait -O1 -c %s \
// RUN:   -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang %offload %use_plugin -fpass-plugin=%plugin -Rpass=nowait -Rpass-missed=nowait -O1 -c %s \
// RUN:   -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang %offload -fpass-plugin=%pass_plugin -Rpass=nowait -Rpass-missed=nowait -O1 -c %s -o %t.o 2>&1 \
// RUN:   | %FileCheck %s
// RUN: %clang %offload -fpass-plugin=%plugin -Rpass=nowait -Rpass-missed=nowait -O1 -c %s -o %t.o 2>&1 | %FileCheck %s

// CHECK-NOT: remark:
// CHECK: runs-once.c:[[#@LINE+5]]:1: remark: target region does not block the host
// CHECK: runs-once.c:[[#@LINE+6]]:1: remark: deferred target construct left as it is
// CHECK-NOT: remark:
// CHECK-NOT: warning:
void start(int *data) {
#pragma omp target nowait map(tofrom : data[0 : 1])
  data[0]++;
#pragma omp target nowait map(tofrom : data[0 : 1]) if (0)
  data[0]++;
}
