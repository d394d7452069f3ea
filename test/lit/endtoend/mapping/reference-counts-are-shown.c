// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reference counts after each construct, as OpenMP counts, in the tables that ompx_dump_mapping_tables prints.
//
// RUN: %cc-both
// RUN: env NOWAIT_HOST_DEVICES=1 %t.plugin | %FileCheck %s
// RUN: env NOWAIT_HOST_DEVICES=1 %nowait-run %t.stock | %FileCheck %s
#include "check.h"

void ompx_dump_mapping_tables(void);

static int x[100];
#pragma omp declare target
int global;
#pragma omp end declare target

static void show(const char *what)
{
    printf("%s\n", what);
    ompx_dump_mapping_tables();
}

int main(void)
{
    watchdog(20);
    // CHECK-LABEL: enter twice
    // CHECK: Host Ptr
    // CHECK-DAG: 4 INF 0
    // CHECK-DAG: 400 2 0
#pragma omp target enter data map(to : x)
#pragma omp target enter data map(to : x) nowait
#pragma omp taskwait
#pragma omp target
    global++;
    show("enter twice");
    // CHECK-LABEL: inside a region's data
    // CHECK: 400 3 0
#pragma omp target data map(tofrom : x)
    show("inside a region's data");
    // CHECK-LABEL: after a region
    // CHECK: 400 2 0
#pragma omp target map(tofrom : x [5:10])
    x[5]++;
    show("after a region");
    // CHECK-LABEL: released
    // CHECK: 400 1 0
#pragma omp target exit data map(release : x)
    show("released");
    // CHECK-LABEL: deleted
    // CHECK-NOT: {{ 400 }}
    // CHECK: 4 INF 0
    // CHECK-NOT: {{ 400 }}
#pragma omp target enter data map(to : x)
#pragma omp target exit data map(delete : x)
    show("deleted");
    return 0;
}
