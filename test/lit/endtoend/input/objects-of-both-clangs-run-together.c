// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Object files of LLVM 19 and 22 describe their regions in different layouts. The runtime accepts both: each compiler
// builds the program, and each builds a shared library that the other's program loads and links with.
// Stock libomptarget 19 crashes when an object of clang 22 registers itself.
//
// REQUIRES: both-clangs
// RUN: env NOWAIT_LLVM=19 %nowait-clang %flags -DLIBRARY -shared -fPIC %s -o %t.19.so
// RUN: env NOWAIT_LLVM=22 %nowait-clang %flags -DLIBRARY -shared -fPIC %s -o %t.22.so
// RUN: env NOWAIT_LLVM=19 %nowait-clang %flags %s %t.22.so -o %t.19.with.22
// RUN: env NOWAIT_LLVM=22 %nowait-clang %flags %s %t.19.so -o %t.22.with.19
// RUN: %t.19.with.22
// RUN: %t.22.with.19
#include "check.h"

int library_region(int v);

#ifdef LIBRARY
static int table[4] = {1, 2, 3, 4};
#pragma omp declare target to(table)

int library_region(int v)
{
    int x = v;
#pragma omp target map(tofrom : x) nowait
    for (int i = 0; i < 4; i++)
        x += table[i];
#pragma omp taskwait
    return x;
}
#else
static int table[4] = {10, 20, 30, 40};
#pragma omp declare target to(table)

int main(void)
{
    watchdog(30);
    for (int rep = 0; rep < 100; rep++) {
        int x = 0, y = 0;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        for (int i = 0; i < 4; i++)
            x += table[i];
#pragma omp task shared(y)
        y = library_region(rep);
#pragma omp taskwait
        CHECK_EQ(x, 100);
        CHECK_EQ(y, rep + 10);
    }
    return 0;
}
#endif
