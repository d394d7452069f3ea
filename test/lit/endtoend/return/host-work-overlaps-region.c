// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One user thread, no helpers: the host loop after the construct runs beside the region (llvm/llvm-project 63394). The
// region and the host talk to each other in turns, which only works when both are running.
//
// RUN: %cc-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 OMP_NUM_THREADS=1 %t.plugin
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 OMP_NUM_THREADS=1 %nowait-run %t.stock
// RUN: %run-nonblocking
#include "check.h"

enum { ROUNDS = 20 };

int main(void)
{
    int words[2] = {0, 0}, *ping = &words[0], *pong = &words[1], x = 0;
    watchdog(40);
#pragma omp target is_device_ptr(ping, pong) map(tofrom : x) nowait
    for (int i = 1; i <= ROUNDS; i++) {
        wait_for(ping, i);
        x += i;
        count_up(pong);
    }
    for (int i = 1; i <= ROUNDS; i++) {
        count_up(ping);
        wait_for(pong, i);
    }
#pragma omp taskwait
    CHECK_EQ(x, ROUNDS * (ROUNDS + 1) / 2);
    return 0;
}
