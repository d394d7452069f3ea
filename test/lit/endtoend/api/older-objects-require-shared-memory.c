// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object of LLVM 17 or before says by a call what clang 18 and later put into a table: that it requires unified
// shared memory. After it a region works on the host's storage itself, so the host sees what the region does while it
// runs and although nothing is copied back. Stock libomptarget ignores the call and says so.
//
// RUN: %cc-both
// RUN: %t.plugin
// RUN: %nowait-run %t.stock
#include "check.h"

void __tgt_register_requires(int64_t flags);

int main(void)
{
    int x = 1, private = 1;
    watchdog(20);
#pragma omp target map(to : private)
    private = 2;
    CHECK_EQ(private, 1);
    __tgt_register_requires(8);
#pragma omp target map(to : x)
    x = 2;
    CHECK_EQ(x, 2);
    return 0;
}
