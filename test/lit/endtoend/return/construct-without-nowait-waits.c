// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The neighbours stay as they are: a construct without nowait has finished when it returns, also when its data was
// present before, when it has a depend clause, and in a team (the shape of clang-ykt/clang issue 9).
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { N = 64, REGION_MS = 20 };

static void pass(void)
{
    int a[N] = {0}, done_word = 0, *done = &done_word;
#pragma omp target enter data map(to : a)
#pragma omp target teams distribute parallel for is_device_ptr(done) num_teams(1) thread_limit(1)
    for (int i = 0; i < N; i++) {
        if (i == N - 1)
            busy_ms(REGION_MS);
        a[i] = i;
        count_up(done);
    }
    CHECK_EQ(peek(done), N);

#pragma omp target depend(inout : a) is_device_ptr(done) map(alloc : a)
    {
        busy_ms(REGION_MS);
        a[0] = 7;
        count_up(done);
    }
    CHECK_EQ(peek(done), N + 1);
#pragma omp target update from(a)
    CHECK_EQ(a[0], 7);
    CHECK_EQ(a[N - 1], N - 1);

    /* A synchronous region behind a deferred one. */
#pragma omp target map(alloc : a) depend(inout : a) nowait
    {
        busy_ms(REGION_MS);
        a[1] = 100;
    }
#pragma omp target map(alloc : a) depend(inout : a) is_device_ptr(done)
    {
        a[1]++;
        count_up(done);
    }
    CHECK_EQ(peek(done), N + 2);
#pragma omp target exit data map(from : a)
    CHECK_EQ(a[1], 101);
}

int main(void)
{
    watchdog(40);
    pass();
#pragma omp parallel num_threads(3)
    pass();
    return 0;
}
