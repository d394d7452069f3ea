// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each construct is reported once, at its line, without -g being asked for, if and only if remarks are asked for.
//
// RUN: %clang %offload %use_plugin -c %s -o %t.o 2>&1 | %count 0
// RUN: %clang %offload %use_plugin -Rpass=nowait -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang %offload %use_plugin -Rpass=nowait -O2 -g -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang %offload %use_plugin -Rpass=nowait --offload-host-only -O2 -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang %offload %use_plugin -Rpass-missed=nowait -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=MISSED
// RUN: %clang %offload %use_plugin -Rpass=inline -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=OTHER

// CHECK-NOT: remark:
// CHECK: remarks.c:[[#@LINE+12]]:1: remark: target enter data does not block the host: {{1 map entry|2 map entries}},
// CHECK: remarks.c:[[#@LINE+12]]:1: remark: target region does not block the host: {{.*}} [-Rpass=nowait]
// CHECK: remarks.c:[[#@LINE+15]]:1: remark: target update does not block the host: 1 map entry, 0 captured
// CHECK: remarks.c:[[#@LINE+15]]:1: remark: target exit data does not block the host: {{.*}} [-Rpass=nowait]
// CHECK-NOT: remark:
//
// MISSED-NOT: remark:
// MISSED: remarks.c:[[#@LINE+8]]:1: remark: deferred target construct left as it is: {{.*}} [-Rpass-missed=nowait]
// MISSED-NOT: remark:
//
// OTHER-NOT: [-Rpass{{.*}}=nowait]
void start(int n, int *data) {
#pragma omp target enter data map(to : data[0 : n]) nowait
#pragma omp target map(tofrom : data[0 : n]) nowait
  data[0]++;
#pragma omp target map(tofrom : data[0 : n]) nowait if (0)
  data[0]++;
#pragma omp target update from(data[0 : n]) nowait
#pragma omp target exit data map(from : data[0 : n]) nowait
}
