// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program runs, and nothing is said, with every setting at both ends of the range that is documented for it, and with
// every word that is listed.
//
// RUN: %cc-plugin
// RUN: env OMP_TARGET_OFFLOAD=default %every-setting %nowait-info %t.plugin
#include "check.h"

int main(void)
{
    int x = 40;
    watchdog(60);
    for (int i = 0; i < 2; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x++;
    }
#pragma omp taskwait
    CHECK_EQ(x, 42);
    return 0;
}
