// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads begin and end mappings of the same array at the same time; all write the same values, so only the runtime can
// get it wrong: by freeing a buffer that another thread has mapped again, or by copying back after that.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { THREADS = 4, REPETITIONS = 200, N = 2000 };

int main(void)
{
    static int x[N];
    int bad = 0;
    watchdog(40);
    for (int i = 0; i < N; i++)
        x[i] = 5 * i;
#pragma omp parallel num_threads(THREADS) reduction(+ : bad)
    for (int rep = 0; rep < REPETITIONS; rep++) {
        int sum = 0, me = omp_get_thread_num();
        switch ((rep + me) % 4) {
        case 0:
#pragma omp target map(from : x) nowait
            for (int i = 0; i < N; i++)
                x[i] = 5 * i;
            break;
        case 1:
#pragma omp target map(to : x) map(tofrom : sum) nowait
            for (int i = 0; i < N; i++)
                sum += x[i] != 5 * i;
            break;
        case 2:
#pragma omp target map(tofrom : x) map(tofrom : sum)
            for (int i = 0; i < N; i++) {
                sum += x[i] != 5 * i;
                x[i] = 5 * i;
            }
            break;
        default: {
#pragma omp target enter data map(to : x) nowait
#pragma omp taskwait
#pragma omp target exit data map(from : x) nowait
        }
        }
#pragma omp taskwait
        /* A map(from) of another thread starts with storage that nobody has written yet, so only the array on the host
         * is sure to be right when all are done. */
        bad += sum < 0;
    }
    CHECK_EQ(bad, 0);
    for (int i = 0; i < N; i++)
        CHECK_EQ(x[i], 5 * i);
    CHECK(!omp_target_is_present(x, omp_get_default_device()));
    return 0;
}
