// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that the plugin declares have the types of include/nowait/abi.h, which libnowait defines them by.
//
// RUN: %clang -I %S/../../../include -DHEADER -S -emit-llvm %s -o %t.header.ll
// RUN: %host_ir %s -o %t.plugin.ll
// RUN: sed -n 's/^declare \(.*@__nowait[^)]*)\).*/\1/p' %t.header.ll \
// RUN:   | sed 's/ noundef//g; s/noalias //g' | sort > %t.header.txt
// RUN: sed -n 's/^declare \(.*@__nowait[^)]*)\).*/\1/p' %t.plugin.ll \
// RUN:   | sed 's/ noundef//g; s/noalias //g' | sort > %t.plugin.txt
// RUN: diff %t.header.txt %t.plugin.txt
// RUN: %count 8 < %t.plugin.txt

#ifdef HEADER
#include "nowait/abi.h"
void *const functions[] = {
    (void *)__nowait_target_task_alloc, (void *)__nowait_target_task,       (void *)__nowait_target_task_with_deps,
    (void *)__nowait_target_kernel,     (void *)__nowait_target_data_begin, (void *)__nowait_target_data_end,
    (void *)__nowait_target_data_update, (void *)__nowait_require_abi};
#else
void start(int n, int *data) {
#pragma omp target nowait map(tofrom : data[0 : n])
  data[0]++;
#pragma omp target enter data map(to : data[0 : n]) nowait depend(inout : data[0])
#pragma omp target update from(data[0 : n]) nowait
#pragma omp target exit data map(from : data[0 : n]) nowait
}
#endif
