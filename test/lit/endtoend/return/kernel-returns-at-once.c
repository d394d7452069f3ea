// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region that is held at a gate, which the host opens behind the construct: so the construct returns while the region
// runs, or the program hangs. In serial code, from one thread of a team and from all threads of a team, whatever the
// number of host threads and with the helper threads of libomp on or off.
// Stock clang passes with helpers and waits for the region without them (llvm/llvm-project 63394, 60755).
//
// RUN: %cc-both
// RUN: %run-event
// RUN: env NOWAIT_COMPLETION=event LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env NOWAIT_COMPLETION=event LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %nowait-run %t.stock
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 %t.plugin
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %nowait-run %t.stock
// The requeue mode needs another thread of libomp, a helper or a team mate, to hand the task to.
// RUN: env NOWAIT_COMPLETION=requeue %t.plugin
// RUN: env NOWAIT_COMPLETION=requeue %nowait-run %t.stock
// RUN: env NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin team
#include "check.h"

enum { LAUNCHES = 5 };

static void launch(void)
{
    int x = 41, word = 0, *gate = &word;
#pragma omp target map(tofrom : x) is_device_ptr(gate) nowait
    {
        gate_wait(gate);
        x++;
    }
    CHECK_EQ(x, 41);
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(x, 42);
}

int main(int argc, char **argv)
{
    int team_only = argc > 1 && strcmp(argv[1], "team") == 0;
    watchdog(40);
    for (int i = 0; !team_only && i < LAUNCHES; i++)
        launch();
    for (int i = 0; i < LAUNCHES; i++) {
#pragma omp parallel num_threads(3)
#pragma omp single
        launch();
    }
#pragma omp parallel num_threads(3)
    for (int i = 0; i < LAUNCHES; i++)
        launch();
    return 0;
}
