// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The initial thread returns from main while another one is inside a region without nowait, looking for its end itself.
// The program ends: that thread does not hand its region over to a thread that has ended already, and the stream that
// it looks at stays. It looks for long here, so that the end of main comes within that time.
//
// RUN: %cc-both
// RUN: %on-cuda NOWAIT_SPIN=2ms %t.plugin 0
// RUN: %on-cuda NOWAIT_SPIN=2ms %t.plugin 300
// RUN: %on-cuda NOWAIT_SPIN=2ms %t.plugin 600
// RUN: %on-cuda NOWAIT_SPIN=2ms %t.plugin 1200
// RUN: %on-cuda NOWAIT_SPIN=2ms NOWAIT_CUDA_COMPLETION=event %t.plugin 300
// RUN: %on-cuda NOWAIT_SPIN=2ms %nowait-run %t.stock 300
// RUN: %t.plugin 300
#include "check.h"
#include <pthread.h>

static int word;
static int in_last_region;

static void *work(void *unused)
{
    (void)unused;
#pragma omp target map(tofrom : word)
    word++;
    __atomic_store_n(&in_last_region, 1, __ATOMIC_RELEASE);
#pragma omp target map(tofrom : word)
    {
        sleep_us(50000);
        word++;
    }
    pause();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    watchdog(60);
#pragma omp target enter data map(to : word)
    CHECK_EQ(pthread_create(&thread, NULL, work, NULL), 0);
    while (!__atomic_load_n(&in_last_region, __ATOMIC_ACQUIRE))
        ;
    if (argc > 1)
        sleep_us(atoi(argv[1]));
    return 0;
}
