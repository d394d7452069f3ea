// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many threads map freshly allocated host buffers of random sizes and free them again, so that host addresses wander
// between threads while mappings of neighbouring addresses begin and end (llvm/llvm-project 54731).
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { THREADS = 16, REPETITIONS = 40, MAX = 3000 };

int main(void)
{
    int bad = 0;
    watchdog(40);
#pragma omp parallel num_threads(THREADS) reduction(+ : bad)
    {
        unsigned random = 17u + (unsigned)omp_get_thread_num();
        for (int rep = 0; rep < REPETITIONS; rep++) {
            random = random * 1664525u + 1013904223u;
            int n = 1 + (int)(random >> 8) % MAX;
            int *a = malloc(sizeof(int) * (size_t)n), *b = malloc(sizeof(int) * (size_t)n);
            for (int i = 0; i < n; i++)
                a[i] = rep + i, b[i] = -1;
#pragma omp target map(tofrom : a [0:n]) nowait
            for (int i = 0; i < n; i++)
                a[i] *= 3;
#pragma omp target map(from : b [0:n])
            for (int i = 0; i < n; i++)
                b[i] = i;
#pragma omp taskwait
            for (int i = 0; i < n; i++)
                bad += a[i] != 3 * (rep + i) || b[i] != i;
            free(a);
            free(b);
        }
    }
    CHECK_EQ(bad, 0);
    return 0;
}
