// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While a construct with the ompx_hold modifier holds data, omp_target_disassociate_ptr fails and says that this is
// why, however the data has come there: by an association, by another construct, or by that construct alone. With
// NOWAIT_FATAL=abort LLVM's line follows ours, and the program goes on.
//
// RUN: %nowait-clang -fopenmp-extensions %flags %s -o %t.plugin
// RUN: %stock-clang -fopenmp-extensions %flags %s -o %t.stock
// RUN: %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_FATAL=abort %t.plugin 2>&1 | %FileCheck %s --check-prefixes=CHECK,LLVM
// RUN: env NOWAIT_FATAL=abort %nowait-run %t.stock 2>&1 | %FileCheck %s --check-prefixes=CHECK,LLVM
#include "check.h"

static int x;

static void try_to_disassociate(const char *how)
{
    fprintf(stderr, "%s\n", how);
#pragma omp target data map(ompx_hold, alloc : x)
#pragma omp target data map(ompx_hold, alloc : x)
    CHECK_NE(omp_target_disassociate_ptr(&x, 0), 0);
}

int main(void)
{
    void *there = omp_target_alloc(sizeof x, 0);
    watchdog(20);
    CHECK(there != NULL);
    // CHECK: {{^}}held alone
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: a construct with the ompx_hold modifier
    // LLVM-NEXT: omptarget error: Trying to disassociate a pointer with a non-zero hold reference count
    try_to_disassociate("held alone");
    CHECK_EQ(omp_target_is_present(&x, 0), 0);
    // CHECK-NEXT: {{^}}held and mapped
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: a construct with the ompx_hold modifier
    // LLVM-NEXT: omptarget error: Trying to disassociate a pointer with a non-zero hold reference count
#pragma omp target enter data map(alloc : x)
    try_to_disassociate("held and mapped");
    // CHECK-NEXT: {{^}}mapped
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: it was mapped by a construct
    // LLVM-NEXT: omptarget error: Trying to disassociate a pointer which was not mapped via omp_target_associate_ptr
    fprintf(stderr, "mapped\n");
    CHECK_NE(omp_target_disassociate_ptr(&x, 0), 0);
#pragma omp target exit data map(release : x)
    // CHECK-NEXT: {{^}}absent
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: nothing begins there that is present
    // LLVM-NEXT: omptarget error: Association not found
    fprintf(stderr, "absent\n");
    CHECK_NE(omp_target_disassociate_ptr(&x, 0), 0);
    // CHECK-NEXT: {{^}}held and associated
    // CHECK-NEXT: error: omp_target_disassociate_ptr: {{.*}} on device 0: a construct with the ompx_hold modifier
    // LLVM-NEXT: omptarget error: Trying to disassociate a pointer with a non-zero hold reference count
    CHECK_EQ(omp_target_associate_ptr(&x, there, sizeof x, 0, 0), 0);
    try_to_disassociate("held and associated");
    // CHECK-NEXT: {{^}}over
    CHECK_EQ(omp_target_disassociate_ptr(&x, 0), 0);
    omp_target_free(there, 0);
    fprintf(stderr, "over\n");
    return 0;
}
