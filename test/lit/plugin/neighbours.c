// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not a deferred target construct is compiled exactly as without the plugin.
//
// RUN: %host_ir %s -o %t.plugin.ll
// RUN: %stock_ir %s -o %t.stock.ll
// RUN: cmp %t.plugin.ll %t.stock.ll
// RUN: %clang %offload %use_plugin -O2 -c %s -o %t.o
// RUN: mv %t.o %t.plugin.o
// RUN: %clang %offload -O2 -c %s -o %t.o
// RUN: cmp %t.o %t.plugin.o
// RUN: %clang %offload %use_plugin -Rpass=nowait -Rpass-missed=nowait -O2 -c %s -o %t.o 2>&1 | %count 0

void start(int n, int *data) {
#pragma omp target map(tofrom : data[0 : n])
  data[0]++;
#pragma omp target map(tofrom : data[0 : n]) depend(inout : data[0])
  data[0]++;
#pragma omp target teams distribute parallel for map(tofrom : data[0 : n])
  for (int i = 0; i < n; i++)
    data[i]++;
#pragma omp target enter data map(to : data[0 : n])
#pragma omp target update from(data[0 : n]) depend(in : data[0])
#pragma omp target exit data map(release : data[0 : n])
#pragma omp task depend(inout : data[0]) firstprivate(n)
  data[0] += n;
#pragma omp taskloop nogroup
  for (int i = 0; i < n; i++)
    data[i]++;
#pragma omp taskwait
}
