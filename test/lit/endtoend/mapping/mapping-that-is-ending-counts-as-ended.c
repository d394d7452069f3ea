// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While a region that maps x is held by a gate, a second one maps x again without a dependence. The first mapping's end
// is decided, so the second region must see the value that the first one leaves behind, and the value that the second
// one leaves must reach the host last.
//
// RUN: %cc-both
// RUN: env NOWAIT_COMPLETION=event %t.plugin
// RUN: env NOWAIT_COMPLETION=event LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env NOWAIT_COMPLETION=event %nowait-run %t.stock
#include "check.h"

enum { REPETITIONS = 200, N = 500 };

int main(void)
{
    watchdog(40);
    for (int rep = 0; rep < REPETITIONS; rep++) {
        int x[N], y = -1, gate_word = 0, *gate = &gate_word;
        for (int i = 0; i < N; i++)
            x[i] = 1;
#pragma omp target map(tofrom : x) is_device_ptr(gate) nowait
        {
            gate_wait(gate);
            for (int i = 0; i < N; i++)
                x[i] += rep;
        }
#pragma omp target map(tofrom : x) map(from : y) nowait
        {
            y = x[N - 1];
            for (int i = 0; i < N; i++)
                x[i] *= 2;
        }
        gate_open(gate);
#pragma omp taskwait
        CHECK_EQ(y, 1 + rep);
        for (int i = 0; i < N; i++)
            CHECK_EQ(x[i], 2 * (1 + rep));
        CHECK(!omp_target_is_present(x, omp_get_default_device()));
    }
    return 0;
}
