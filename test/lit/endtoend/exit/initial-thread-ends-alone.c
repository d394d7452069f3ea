// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The initial thread ends by pthread_exit with regions in flight, and another thread goes on, launches more, or is the
// first one to launch any. The regions are over before the initial thread is, a device image can still be loaded, exit
// handlers run, and the program ends with status 0 when its last thread has ended, although the runtime keeps threads.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: %t.plugin launches-nothing
// RUN: %nowait-run %t.stock launches-nothing
#include "check.h"
#include <pthread.h>

static int words[3];
static int initial_has_ended;

static void exit_handler(void)
{
    CHECK_EQ(words[0], initial_has_ended ? 2 : 0);
    CHECK_EQ(words[1], initial_has_ended ? 1 : 0);
    CHECK_EQ(words[2], 2);
}

static void *go_on(void *initial)
{
    CHECK_EQ(pthread_join(*(pthread_t *)initial, NULL), 0);
    if (initial_has_ended) {
        CHECK_EQ(words[0], 2);
        CHECK_EQ(words[1], 1);
    }
#pragma omp target map(tofrom : words[2]) nowait
    words[2]++;
#pragma omp taskwait
    CHECK_EQ(words[2], 1);
#pragma omp target map(tofrom : words[2]) nowait
    {
        sleep_us(2000);
        words[2]++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_t initial;
    pthread_t thread;
    (void)argv;
    watchdog(60);
    atexit(exit_handler);
    initial = pthread_self();
    CHECK_EQ(pthread_create(&thread, NULL, go_on, &initial), 0);
    if (argc == 1) {
        initial_has_ended = 1;
        for (int i = 0; i < 2; i++) {
#pragma omp target map(tofrom : words[0]) depend(inout : words[0]) nowait
            {
                sleep_us(2000);
                words[0]++;
            }
        }
#pragma omp target parallel map(tofrom : words[1]) num_threads(2) nowait
#pragma omp single
        {
            sleep_us(2000);
            words[1]++;
        }
    }
    pthread_exit(NULL);
}
