// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program ends while regions are pending: by return from main without a taskwait, by exit() in a function, by
// exit() inside a parallel region, with chains of dependences still to be released, and by the end of a second thread's
// work. All regions run to their end before anything is torn down, and the exit status is the program's own. Each
// region writes one letter with write(2) when it ends; the letters are counted. Stock crashes or aborts here.
//
// RUN: %cc-both
// RUN: env NOWAIT_COMPLETION=event %t.plugin return > %t.out && %FileCheck %s --check-prefix=TWENTY < %t.out
// RUN: env NOWAIT_COMPLETION=event %t.plugin chain > %t.out && %FileCheck %s --check-prefix=TWENTY < %t.out
// RUN: %not env NOWAIT_COMPLETION=event %t.plugin exit > %t.out && %FileCheck %s --check-prefix=TWENTY < %t.out
// RUN: %not env NOWAIT_COMPLETION=event %t.plugin team > %t.out && %FileCheck %s --check-prefix=TWENTY < %t.out
// RUN: env NOWAIT_COMPLETION=event %t.plugin data > %t.out && %FileCheck %s --check-prefix=TWENTY < %t.out
// RUN: env NOWAIT_COMPLETION=event LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin chain > %t.out
// RUN: %FileCheck %s --check-prefix=TWENTY < %t.out
// RUN: env NOWAIT_COMPLETION=requeue %t.plugin return > %t.out && %FileCheck %s --check-prefix=TWENTY < %t.out
// RUN: env NOWAIT_COMPLETION=event %nowait-run %t.stock return > %t.out
// RUN: %FileCheck %s --check-prefix=TWENTY < %t.out
// RUN: env NOWAIT_COMPLETION=event %nowait-run %t.stock chain > %t.out
// RUN: %FileCheck %s --check-prefix=TWENTY < %t.out
// RUN: %not env NOWAIT_COMPLETION=event %nowait-run %t.stock exit > %t.out
// RUN: %FileCheck %s --check-prefix=TWENTY < %t.out
// TWENTY: {{^r{20}$}}
#include "check.h"

enum { REGIONS = 20, STATUS = 7 };

#pragma omp begin declare target
static void report(void)
{
    if (write(1, "r", 1) != 1)
        abort();
}
#pragma omp end declare target

/* Static, as the frames of the encountering functions are gone by then. */
static int x[REGIONS], order;

static void launch(int depend)
{
    for (int i = 0; i < REGIONS; i++) {
        int *mine = &x[i];
        if (depend) {
#pragma omp target map(tofrom : mine [0:1]) depend(inout : order) nowait
            {
                sleep_us(5000);
                mine[0]++;
                report();
            }
        } else {
#pragma omp target map(tofrom : mine [0:1]) nowait
            {
                sleep_us(20000);
                mine[0]++;
                report();
            }
        }
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    watchdog(30);
    if (strcmp(how, "team") == 0) {
#pragma omp parallel num_threads(3)
#pragma omp single
        {
            launch(0);
            exit(STATUS);
        }
    }
    launch(strcmp(how, "chain") == 0);
    if (strcmp(how, "data") == 0) {
#pragma omp target enter data map(to : x) nowait
#pragma omp target update to(x) nowait
    }
    if (strcmp(how, "exit") == 0)
        exit(STATUS);
    return 0;
}
