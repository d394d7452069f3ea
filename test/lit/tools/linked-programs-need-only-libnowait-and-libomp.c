/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* However it is linked, a program loads libnowait, then libomp, and never a stock libomptarget. */
// RUN: %nowait-clang %s -o %t && readelf -d %t | %FileCheck %s && %t
// RUN: %nowait-clang -O2 -flto %s -o %t.lto && readelf -d %t.lto | %FileCheck %s && %t.lto
// RUN: %nowait-clang -static-libgcc %s -o %t.gcc && readelf -d %t.gcc | %FileCheck %s && %t.gcc
// RUN: %nowait-clang -fPIC -shared %s -o %t.so && readelf -d %t.so | %FileCheck %s
// RUN: %nowait-clang %s -Wl,--as-needed -lomp -lomptarget -o %t.libs && readelf -d %t.libs | %FileCheck %s && %t.libs
// RUN: cp %s %t.cpp && %nowait-clangxx %t.cpp -o %t.cxx && readelf -d %t.cxx | %FileCheck %s && %t.cxx
// CHECK-NOT: libomptarget
// CHECK: NEEDED{{.*}}[libnowait.so.0]
// CHECK-NOT: libomptarget
// CHECK: NEEDED{{.*}}[libomp.so.5]
// CHECK-NOT: libomptarget
#include <omp.h>

int main(void)
{
    int on_host = 1;
#pragma omp target map(tofrom : on_host)
    on_host = omp_is_initial_device();
    return on_host;
}
