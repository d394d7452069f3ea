// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions in flight that map the same large array `to` use one copy of it: it goes to the device once, and takes its
// memory once, however many they are; those that come later run beside the one that brought it. Regions that also bring
// it back follow each other on one copy, each with what the one before has made of it. Once they are over the host may
// write to the array, and the next region sees that. NOWAIT_REUSE=0 gives each region a copy of its own.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: env NOWAIT_STATS=1 %t.plugin 2>&1 | %FileCheck %s
// RUN: env NOWAIT_STATS=1 %nowait-run %t.stock 2>&1 | %FileCheck %s
// RUN: env NOWAIT_REUSE=0 NOWAIT_STATS=1 %t.plugin 2>&1 | %FileCheck %s --check-prefix=APART
//
// CHECK: nowait: data_reused 20{{$}}
// CHECK: nowait: device_bytes_peak 2{{[0-9]{6}$}}
// APART: nowait: data_reused 0{{$}}
// APART: nowait: device_bytes_peak 1{{[0-9]{7}$}}
#include "check.h"

enum { N = 1 << 18, REGIONS = 6, BYTES = N * sizeof(double) };

static double sum_of(const double *array)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += array[i];
    return sum;
}
#pragma omp declare target to(sum_of)

/* All are in flight at once, and the first ends last. */
static void readers(double *array, double expected)
{
    double sums[REGIONS];
    int gate = 0, running = 0, *g = &gate, *r = &running;
    for (int k = 0; k < REGIONS; k++) {
#pragma omp target map(to : array[0 : N]) map(from : sums[k : 1]) is_device_ptr(g, r) nowait
        {
            sums[k] = sum_of(array);
            count_up(r);
            if (k == 0)
                gate_wait(g);
        }
    }
    wait_for(&running, REGIONS);
    gate_open(&gate);
#pragma omp taskwait
    for (int k = 0; k < REGIONS; k++)
        CHECK_EQ(sums[k], expected);
}

static void writers(double *array)
{
    int gate = 0, *g = &gate;
    for (int k = 0; k < REGIONS; k++) {
#pragma omp target map(tofrom : array[0 : N]) is_device_ptr(g) nowait
        {
            gate_wait(g);
            for (int i = 0; i < N; i++)
                array[i] += 1;
        }
    }
    gate_open(&gate);
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(array[i], i % 8 + REGIONS);
}

int main(void)
{
    watchdog(60);
    double *array = malloc(BYTES);
    for (int i = 0; i < N; i++)
        array[i] = i % 8;
    readers(array, 3.5 * N);
    array[0] += 100;
    readers(array, 3.5 * N + 100);
    array[0] -= 100;
    writers(array);
    readers(array, (3.5 + REGIONS) * N);
    free(array);
    return 0;
}
