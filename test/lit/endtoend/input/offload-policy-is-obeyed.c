// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_TARGET_OFFLOAD: disabled and NOWAIT_HOST_DEVICES=0 run every construct on the host, with the same results and
// dependences; default and mandatory use a device; mandatory without a device ends the program with one line.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: env OMP_TARGET_OFFLOAD=default %t.plugin device
// RUN: env OMP_TARGET_OFFLOAD=mandatory %t.plugin device
// RUN: env OMP_TARGET_OFFLOAD=default %nowait-run %t.stock device
// RUN: env OMP_TARGET_OFFLOAD=disabled %t.plugin host
// RUN: env OMP_TARGET_OFFLOAD=disabled NOWAIT_COMPLETION=requeue %t.plugin host
// RUN: env OMP_TARGET_OFFLOAD=disabled %nowait-run %t.stock host
// RUN: env OMP_TARGET_OFFLOAD=default NOWAIT_HOST_DEVICES=0 %t.plugin host
// RUN: env OMP_TARGET_OFFLOAD=default NOWAIT_HOST_DEVICES=0 %nowait-run %t.stock host
// RUN: %not env NOWAIT_HOST_DEVICES=0 OMP_TARGET_OFFLOAD=mandatory %t.plugin host 2>&1 | %FileCheck %s
// CHECK: mandatory
#include "check.h"

enum { N = 20, REPETITIONS = 100 };

static void pass(int host)
{
    int a[N], b[N], sum = 0, on_host = -1, array[3] = {1, 2, 3};
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target enter data map(to : a) map(alloc : b) depend(out : a) nowait
#pragma omp target map(to : a) map(from : b, on_host) depend(inout : a) firstprivate(array) nowait
    {
        on_host = omp_is_initial_device();
        for (int i = 0; i < N; i++)
            b[i] = a[i] + array[i % 3];
    }
#pragma omp target update from(b) depend(inout : a) nowait
#pragma omp task depend(inout : a) shared(b, sum)
    for (int i = 0; i < N; i++)
        sum += b[i];
#pragma omp target exit data map(delete : a, b) depend(inout : a) nowait
#pragma omp taskwait
    CHECK_EQ(on_host, host);
    for (int i = 0; i < N; i++)
        CHECK_EQ(b[i], i + 1 + i % 3);
    CHECK_EQ(sum, N * (N - 1) / 2 + 6 * 6 + 1 + 2);
}

int main(int argc, char **argv)
{
    watchdog(30);
    CHECK_EQ(argc, 2);
    for (int i = 0; i < REPETITIONS; i++)
        pass(strcmp(argv[1], "host") == 0);
#pragma omp parallel num_threads(3)
    for (int i = 0; i < REPETITIONS; i++)
        pass(strcmp(argv[1], "host") == 0);
    return 0;
}
