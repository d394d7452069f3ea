// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A structure with an attached pointer is on the device. The host changes or clears its own pointer, and frees the
// memory; then other members are updated from the device, or a region ends that copies only them. The host's pointer
// keeps the host's value: the runtime must not write an old one back (the shape of llvm/llvm-project PR 197106).
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 10, REPETITIONS = 50 };

struct record {
    int before;
    int *data;
    int after;
};

static void cleared_then_update(void)
{
    int *data = malloc(N * sizeof(int));
    struct record s = {1, data, 2};
    for (int i = 0; i < N; i++)
        data[i] = i;
#pragma omp target enter data map(to : s) map(to : s.data [0:N])
#pragma omp target map(alloc : s) nowait
    {
        s.before = s.data[3];
        s.after = s.data[4];
    }
#pragma omp taskwait
#pragma omp target exit data map(release : data [0:N])
    free(data);
    s.data = NULL;
#pragma omp target update from(s.before) nowait
#pragma omp taskwait
    CHECK_EQ(s.before, 3);
    CHECK_PTR_EQ(s.data, NULL);
#pragma omp target update from(s.after)
    CHECK_EQ(s.after, 4);
    CHECK_PTR_EQ(s.data, NULL);
#pragma omp target exit data map(delete : s) nowait
#pragma omp taskwait
    CHECK_PTR_EQ(s.data, NULL);
}

static void replaced_then_region_end(void)
{
    int *data = malloc(N * sizeof(int)), *other = malloc(N * sizeof(int));
    struct record s = {1, data, 2};
    for (int i = 0; i < N; i++)
        data[i] = i, other[i] = -i;
#pragma omp target enter data map(to : s) map(to : s.data [0:N]) nowait
#pragma omp taskwait
    s.data = other;
#pragma omp target map(always, from : s.after) nowait
    s.after = 77;
#pragma omp taskwait
    CHECK_EQ(s.after, 77);
    CHECK_PTR_EQ(s.data, other);
    CHECK_EQ(s.before, 1);
#pragma omp target exit data map(delete : s) map(delete : data [0:N])
    CHECK_PTR_EQ(s.data, other);
    free(data);
    free(other);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++) {
        cleared_then_update();
        replaced_then_region_end();
    }
    return 0;
}
