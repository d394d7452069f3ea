// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a newer compiler may pass: a kernel argument block of an unknown version may order the arguments differently, so
// it is refused with one line that names it; a map type bit that nobody knows is named once and ignored. The program
// puts itself between compiled code and the runtime and changes what is passed.
//
// RUN: %stock-clang %flags %s -o %t.stock
// RUN: %nowait-run %t.stock version > %t.out 2>&1; test $? -eq 1 && %FileCheck %s --check-prefix=VERSION < %t.out
// RUN: %nowait-run %t.stock bits 2>&1 | %FileCheck %s --check-prefix=BITS
// VERSION-NOT: ran
// VERSION: error: kernel argument block of version 4; this libnowait.so knows versions 1 to 3
// VERSION-NOT: ran
// BITS: warning: map type has bits 0x80000000000 that this version does not know; they are ignored
// BITS-NEXT: ran 3
#include "check.h"
#include "omptarget.h"

enum { MAX = 16 };

int __tgt_target_kernel_nowait(void *loc, int64_t device, int teams, int threads, void *id, struct kernel_args *args,
                               int n_deps, void *deps, int n_noalias, void *noalias);

static int new_version, new_bits;

int __tgt_target_kernel(void *loc, int64_t device, int teams, int threads, void *id, struct kernel_args *args)
{
    int64_t types[MAX];
    struct kernel_args changed = *args;
    CHECK_LE(args->n, MAX);
    for (uint32_t i = 0; i < args->n; i++)
        types[i] = args->types[i] | (new_bits ? INT64_C(0x80000000000) : 0);
    changed.types = types;
    if (new_version)
        changed.version = 4;
    return __tgt_target_kernel_nowait(loc, device, teams, threads, id, &changed, 0, NULL, 0, NULL);
}

int main(int argc, char **argv)
{
    int x = 0;
    watchdog(20);
    CHECK_EQ(argc, 2);
    new_version = strcmp(argv[1], "version") == 0;
    new_bits = strcmp(argv[1], "bits") == 0;
    for (int rep = 0; rep < 3; rep++) {
#pragma omp target map(tofrom : x)
        x++;
    }
    printf("ran %d\n", x);
    return 0;
}
