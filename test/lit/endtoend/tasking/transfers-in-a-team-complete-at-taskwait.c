// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread of a team sends 512 bytes to the device, waits, lets a region check them, and fetches them back: after
// each taskwait the transfer has happened, not only at the end of the parallel region (llvm/llvm-project 49160).
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { THREADS = 4, REPETITIONS = 100, N = 128 };

int main(void)
{
    watchdog(40);
#pragma omp parallel num_threads(THREADS)
    {
        int x[N], sum, me = omp_get_thread_num();
#pragma omp target enter data map(alloc : x)
        for (int rep = 0; rep < REPETITIONS; rep++) {
            for (int i = 0; i < N; i++)
                x[i] = rep * me + i;
#pragma omp target update to(x) nowait
#pragma omp taskwait
            for (int i = 0; i < N; i++)
                x[i] = -1;
            sum = 0;
#pragma omp target map(alloc : x) map(tofrom : sum) nowait
            for (int i = 0; i < N; i++) {
                sum += x[i];
                x[i]++;
            }
#pragma omp taskwait
            CHECK_EQ(sum, N * rep * me + N * (N - 1) / 2);
#pragma omp target update from(x) nowait
#pragma omp taskwait
            for (int i = 0; i < N; i++)
                CHECK_EQ(x[i], rep * me + i + 1);
        }
#pragma omp target exit data map(delete : x)
    }
    return 0;
}
