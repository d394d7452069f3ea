// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firstprivate arrays of every size class keep their values at the construct, alone and beside mapped data that is as
// large, in regions with nowait and without. (More than a pinned block holds once hung on GPUs; small ones crashed
// where the kernel relied on an array variable's alignment.)
//
// RUN: %cc-both
// RUN: %run-both
// RUN: %on-cuda %t.plugin
// RUN: %on-cuda %nowait-run %t.stock
// RUN: %on-cuda NOWAIT_CUDA_STAGING=4 %t.plugin
// RUN: %on-cuda NOWAIT_COMPLETION=block %t.plugin
#include "check.h"

enum { LARGEST = 300000 };

static int mapped[LARGEST];

#define DEFINE(n)                                                                                                      \
    static __attribute__((noinline)) void check_##n(void)                                                              \
    {                                                                                                                  \
        static int values[n], more[n];                                                                                 \
        long sum = 0, expected = 0;                                                                                    \
        for (int i = 0; i < (n); i++) {                                                                                \
            values[i] = i;                                                                                             \
            more[i] = 2;                                                                                               \
            mapped[i] = 1;                                                                                             \
            expected += i + 3;                                                                                         \
        }                                                                                                              \
        _Pragma("omp target firstprivate(values, more) map(tofrom : mapped) map(from : sum) nowait")                   \
        {                                                                                                              \
            sum = 0;                                                                                                   \
            for (int i = 0; i < (n); i++) {                                                                            \
                mapped[i] += values[i] + more[i];                                                                      \
                sum += mapped[i];                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        memset(values, 0, sizeof values);                                                                              \
        memset(more, 0, sizeof more);                                                                                  \
        _Pragma("omp taskwait");                                                                                       \
        CHECK_EQ(sum, expected);                                                                                       \
        CHECK_EQ(mapped[(n) - 1], (n) + 2);                                                                            \
        values[(n) - 1] = 5;                                                                                           \
        _Pragma("omp target firstprivate(values) map(from : sum)")                                                     \
        sum = values[(n) - 1];                                                                                         \
        CHECK_EQ(sum, 5);                                                                                              \
    }

DEFINE(4)
DEFINE(5)
DEFINE(10)
DEFINE(30000)
DEFINE(60000)
DEFINE(112000)
DEFINE(180000)
DEFINE(300000)

int main(void)
{
    watchdog(60);
    for (int i = 0; i < 3; i++) {
        check_4();
        check_5();
        check_10();
        check_30000();
        check_60000();
        check_112000();
        check_180000();
        check_300000();
    }
    return 0;
}
