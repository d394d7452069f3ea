// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight threads launch regions at once, on private and on shared data and on all devices, with dependences of their
// own.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { REPETITIONS = 100, THREADS = 8, REGIONS = 4, N = 50 };

int main(void)
{
    int shared_data[N], bad = 0;
    watchdog(120);
    for (int i = 0; i < N; i++)
        shared_data[i] = i;
    int devices = omp_get_num_devices();
    CHECK_GE(devices, 1);
#pragma omp parallel num_threads(THREADS) reduction(+ : bad)
    {
        int me = omp_get_thread_num(), device = me % devices;
        for (int rep = 0; rep < REPETITIONS; rep++) {
            int mine[REGIONS] = {0}, chain = 1;
            for (int r = 0; r < REGIONS; r++) {
                int *one = &mine[r];
#pragma omp target device(device) map(to : shared_data) map(tofrom : one [0:1]) firstprivate(me, r) nowait
                for (int i = 0; i < N; i++)
                    one[0] += shared_data[i] + me + r;
#pragma omp target device(device) map(tofrom : chain) depend(inout : chain) nowait
                chain = 3 * chain + 1;
            }
#pragma omp taskwait
            for (int r = 0; r < REGIONS; r++)
                bad += mine[r] != N * (N - 1) / 2 + N * (me + r);
            bad += chain != 121;
        }
    }
    CHECK_EQ(bad, 0);
    return 0;
}
