// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structures that compiled code and the linker's wrapper hand over have, member by member, the types by which the
// runtime reads them. Both sides are asked for LLVM's types; the compiler's names are replaced by the runtime's.
//
// RUN: %clang -std=c11 -D_GNU_SOURCE -DRUNTIME -I %S/../../../runtime -I %S/../../../include -S -emit-llvm %s -o %t.ours.ll
// RUN: %stock_ir %s > %t.stock.ll
// RUN: %stock-clang %s -o %t.exe -Wl,--print-wrapped-module > %t.wrapper.ll 2>&1
//
// RUN: sed -n 's/^%%struct\.\(nowait_ident\|nowait_depend_info\|nowait_kernel_args\) = type/\1/p; \
// RUN:   s/%%union\.[A-Za-z0-9_.]*/union/g; s/^%%struct\.nw_kmp_task = type/nw_kmp_task/p; \
// RUN:   s/^%%struct\.nw_\(image\|library\)_description = type/\1/p; \
// RUN:   s/^%%struct\.nw_entry_[0-9]* = type/entry/p; s/^union = type/union/p' %t.ours.ll | sort -u > %t.ours.txt
// RUN: sed -n 's/^%%struct\.ident_t = type/nowait_ident/p; s/^%%struct\.kmp_depend_info = type/nowait_depend_info/p; \
// RUN:   s/^%%struct\.__tgt_kernel_arguments = type/nowait_kernel_args/p; s/%%union\.[A-Za-z0-9_.]*/union/g; \
// RUN:   s/^%%struct\.kmp_task_t = type/nw_kmp_task/p; s/^%%__tgt_device_image = type/image/p; \
// RUN:   s/^%%__tgt_bin_desc = type/library/p; s/^%%struct\.__tgt_offload_entry = type/entry/p; \
// RUN:   s/^union = type/union/p' %t.stock.ll %t.wrapper.ll | sort -u > %t.stock.txt
// RUN: diff %t.stock.txt %t.ours.txt
// RUN: %count 8 < %t.ours.txt

#ifdef RUNTIME
#include "core/images.h"
#include "core/offload_entry.h"
#include "omptarget/kernel_args.h"
#include "support/ident.h"
#include "tasking/libomp.h"
struct nowait_ident ident;
struct nowait_depend_info dependence;
struct nowait_kernel_args kernel_args;
nw_kmp_task_t task;
nw_image_description_t image;
nw_library_description_t library;
#if __clang_major__ < 21
nw_entry_32_t entry;
#else
nw_entry_56_t entry;
#endif
#else
int main(void) {
  int data = 0;
#pragma omp target nowait depend(inout : data) map(tofrom : data)
  data++;
#pragma omp taskwait
  return data - 1;
}
#endif
