// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In requeue mode libomp starts its helper threads at the first deferred region, and ends the program if a nested team
// is formed at the same time (kmp_runtime.cpp: new_gtid <= __kmp_hidden_helper_threads_num). Where that may be, regions
// finish as in event mode, and one line says so. Where the first region is outside, or nothing nests, none is needed.
//
// RUN: %cc-both
// RUN: env NOWAIT_COMPLETION=requeue %t.plugin nested 2>&1 | %FileCheck --check-prefix=NESTED %s
// RUN: env NOWAIT_COMPLETION=requeue %nowait-run %t.stock nested 2>&1 | %FileCheck --check-prefix=NESTED %s
// RUN: env NOWAIT_COMPLETION=requeue %t.plugin first nested 2>&1 | %FileCheck --check-prefix=FINE %s
// RUN: env NOWAIT_COMPLETION=requeue %t.plugin flat 2>&1 | %FileCheck --check-prefix=FINE %s
// RUN: env NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin nested 2>&1 \
// RUN:     | %FileCheck --check-prefix=FINE %s
//
// FINE-NOT: nowait:
// FINE: all regions are over
// NESTED: nowait: warning: NOWAIT_COMPLETION=requeue: libomp can't start its helper threads where parallel regions nest
// NESTED-NOT: nowait:
// NESTED: all regions are over
#include "check.h"

static void region(void)
{
    int x = 1;
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    CHECK_EQ(x, 2);
}

static void nested_teams(void)
{
#pragma omp parallel num_threads(4)
    for (int r = 0; r < 3; r++) {
#pragma omp parallel num_threads(3)
        region();
    }
}

int main(int argc, char **argv)
{
    watchdog(60);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "first") == 0)
            region();
        if (strcmp(argv[i], "nested") == 0)
            omp_set_max_active_levels(3);
        if (strcmp(argv[i], "first") != 0)
            nested_teams();
    }
    printf("all regions are over\n");
    return 0;
}
