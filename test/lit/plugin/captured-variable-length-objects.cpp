// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A captured variable-length array of objects is copied by a loop, which is not mended: left as it is, and reported.
//
// RUN: %clangxx %offload %use_plugin -c -Rpass=nowait -Rpass-missed=nowait -Wno-vla-cxx-extension -o %t.o %s 2>&1 \
// RUN:   | %FileCheck %s

struct Object { char bytes[3]; };

// CHECK-NOT: remark:
// CHECK: :[[#@LINE+4]]:1: remark: {{.*}}it captures a variable-length array in a way that cannot be mended
// CHECK-NOT: remark:
void start(int n, int *out) {
  Object objects[n];
#pragma omp target nowait map(from : out[0 : n]) firstprivate(objects)
  out[0] = objects[0].bytes[0];
}
