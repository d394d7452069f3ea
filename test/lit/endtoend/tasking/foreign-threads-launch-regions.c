// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that OpenMP did not make (pthread_create) launch regions, wait for them, and end; new ones take their place.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, GENERATIONS = 5, REPETITIONS = 50, N = 20 };

static void *work(void *arg)
{
    int seed = *(int *)arg;
    for (int rep = 0; rep < REPETITIONS; rep++) {
        int a[N] = {0}, chain = 0;
#pragma omp target map(tofrom : a) firstprivate(seed, rep) nowait
        for (int i = 0; i < N; i++)
            a[i] = seed + rep + i;
#pragma omp target map(tofrom : chain) depend(inout : chain) nowait
        chain += 1;
#pragma omp task depend(inout : chain) shared(chain)
        chain *= 10;
#pragma omp target map(tofrom : chain) depend(inout : chain) nowait
        chain += 2;
#pragma omp taskwait
        for (int i = 0; i < N; i++)
            CHECK_EQ(a[i], seed + rep + i);
        CHECK_EQ(chain, 12);
    }
    return NULL;
}

int main(void)
{
    watchdog(40);
    for (int generation = 0; generation < GENERATIONS; generation++) {
        pthread_t thread[THREADS];
        int seed[THREADS];
        for (int t = 0; t < THREADS; t++) {
            seed[t] = 1000 * generation + t;
            CHECK_EQ(pthread_create(&thread[t], NULL, work, &seed[t]), 0);
        }
        for (int t = 0; t < THREADS; t++)
            CHECK_EQ(pthread_join(thread[t], NULL), 0);
    }
    return 0;
}
