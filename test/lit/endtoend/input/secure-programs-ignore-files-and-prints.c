// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program with rights that its caller lacks (set-user-ID, a file capability) ignores every setting that names a file
// or has it print, and says which; the others hold. The same program without such rights obeys them all. The library
// that the settings name would run code of the caller's with the program's rights; the trace would overwrite any file.
//
// REQUIRES: secure-programs, device-host
// RUN: rm -rf %t.folder && mkdir -m 0777 %t.folder && echo precious > %t.folder/file && chmod 0600 %t.folder/file
// RUN: %nowait-clang %flags %s -o %t.plain
// RUN: %clang -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: cp %t.plain %t.owner && %give-rights set-user-id %t.owner
// RUN: cp %t.plain %t.able && %give-rights capability %t.able
//
// RUN: env NOWAIT_CUDA_LIBRARY=%t.so NOWAIT_STATS=1 NOWAIT_LOG=debug LIBOMPTARGET_INFO=-1 NOWAIT_HOST_DEVICES=2 \
// RUN:     NOWAIT_TRACE=%t.folder/plain %as-nobody %t.plain 2>&1 | %FileCheck %s --check-prefix=PLAIN
// RUN: env NOWAIT_CUDA_LIBRARY=%t.so NOWAIT_STATS=1 NOWAIT_LOG=debug LIBOMPTARGET_INFO=-1 NOWAIT_HOST_DEVICES=2 \
// RUN:     NOWAIT_TRACE=%t.folder/file NOWAIT_FATAL=abort %as-nobody %t.owner > %t.out 2>&1
// RUN: %FileCheck %s < %t.out && grep -c . %t.out | grep -x 7
// RUN: env NOWAIT_CUDA_LIBRARY=%t.so NOWAIT_STATS=1 NOWAIT_LOG=debug LIBOMPTARGET_INFO=-1 NOWAIT_HOST_DEVICES=2 \
// RUN:     NOWAIT_TRACE=%t.folder/able NOWAIT_FATAL=abort %as-nobody %t.able > %t.out 2>&1
// RUN: %FileCheck %s < %t.out && grep -c . %t.out | grep -x 7
// RUN: grep -x precious %t.folder/file && test ! -e %t.folder/able && test -s %t.folder/plain
//
// What the caller has written is not repeated.
// RUN: env NOWAIT_SPIN=evil-words NOWAIT_EVIL=evil-words %as-nobody %t.owner 2>&1 | %FileCheck %s --check-prefix=WORDS
//
// PLAIN-DAG: the library's code runs
// PLAIN-DAG: nowait: regions 1
// PLAIN-DAG: 2 devices, answer 42, secure 0
// CHECK-NOT: the library's code runs
// CHECK-DAG: nowait: warning: NOWAIT_STATS is ignored: this program has rights that its caller may lack
// CHECK-DAG: nowait: warning: NOWAIT_TRACE is ignored
// CHECK-DAG: nowait: warning: NOWAIT_LOG is ignored
// CHECK-DAG: nowait: warning: NOWAIT_FATAL is ignored
// CHECK-DAG: nowait: warning: NOWAIT_CUDA_LIBRARY is ignored
// CHECK-DAG: nowait: warning: LIBOMPTARGET_INFO is ignored
// CHECK-DAG: 2 devices, answer 42, secure 1
// WORDS-NOT: {{evil|EVIL}}
// WORDS: nowait: warning: NOWAIT_SPIN is not one of
// WORDS-NOT: {{evil|EVIL}}
// WORDS: answer 42, secure 1
#ifdef LIBRARY
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    static const char text[] = "the library's code runs\n";
    (void)!write(2, text, sizeof text - 1);
}
#else
#include "check.h"
#include <omp.h>
#include <sys/auxv.h>

int main(void)
{
    int x = 41;
    watchdog(60);
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    printf("%d devices, answer %d, secure %lu\n", omp_get_num_devices(), x, getauxval(AT_SECURE));
    return 0;
}
#endif
