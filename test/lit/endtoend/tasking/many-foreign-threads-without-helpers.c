// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More threads than libomp's table of threads has room for at first (four for each processor, at least 32) launch
// regions at the same time, and libomp's helper threads are off. Stock libomp leaves the helpers' places in the table
// empty and does not count them, so that it would abort here (gtid < __kmp_threads_capacity).
//
// RUN: %cc-both
// RUN: env LIBOMP_USE_HIDDEN_HELPER_TASK=0 OMP_NUM_THREADS=1 %t.plugin
// RUN: env LIBOMP_USE_HIDDEN_HELPER_TASK=off OMP_NUM_THREADS=1 %nowait-run %t.stock
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 OMP_NUM_THREADS=1 %t.plugin
#include "check.h"
#include <pthread.h>

static pthread_barrier_t all_are_there;

static void *work(void *number_memory)
{
    int *number = number_memory;
#pragma omp target map(tofrom : number[0 : 1]) nowait
    number[0]++;
#pragma omp taskwait
    pthread_barrier_wait(&all_are_there);
    return NULL;
}

int main(void)
{
    watchdog(60);
    int procs = omp_get_num_procs(), n = (4 * procs < 32 ? 32 : 4 * procs) + 8;
    pthread_t *threads = calloc((size_t)n, sizeof *threads);
    int *numbers = calloc((size_t)n, sizeof *numbers);
    pthread_barrier_init(&all_are_there, NULL, (unsigned)n);
    for (int i = 0; i < n; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
    for (int i = 0; i < n; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        CHECK_EQ(numbers[i], 1);
    }
    pthread_barrier_destroy(&all_are_there);
    free(threads);
    free(numbers);
    return 0;
}
