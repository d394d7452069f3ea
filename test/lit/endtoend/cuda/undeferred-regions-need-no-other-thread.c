// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that waits for a short region of its own looks for its end itself: regions without nowait return while the
// thread that watches the GPUs is held up. That one is in the middle of asking the driver about the streams of two long
// kernels, one after the other, and the driver gives no answer before they have returned. (The short kernel takes no
// time at all: one that is code begins late on a busy machine, where a thread does not look for long.)
//
// RUN: %cc-both
// RUN: %on-cuda CUDAEMU_SKIP='*_look_l*' %t.plugin
// RUN: %on-cuda CUDAEMU_SKIP='*_look_l*' %nowait-run %t.stock
// RUN: %on-cuda CUDAEMU_SKIP='*_look_l*' NOWAIT_CUDA_COMPLETION=event %t.plugin
#include "emulated.h"

#include <unistd.h>

typedef void delay_func_t(const char *name, uint64_t ns);

/* For ever. */
#define ANSWER_NS 3600000000000ull

static int here, there, word;

static void look(void)
{
#pragma omp target map(tofrom : word)
    {
    }
}

int main(void)
{
    watchdog(60);
    /* Memory is asked for with the same call. */
#pragma omp target enter data map(to : word)
    /* A kernel's first run takes longer, and no longer is expected of the next. */
    for (int i = 0; i < 3; i++)
        look();
#pragma omp target map(tofrom : here) nowait
    {
        usleep(500000);
        here = 1;
    }
#pragma omp target map(tofrom : there) nowait
    {
        usleep(500000);
        there = 1;
    }
    delay_func_t *delay = (delay_func_t *)emulated("cudaemu_delay");
    delay("cuStreamQuery", ANSWER_NS);
    count_calls();
    while (calls("cuStreamQuery") == 0)
        usleep(1000);
    for (int i = 0; i < 10; i++)
        look();
    /* The thread is still where it was. */
    CHECK_EQ(calls("cuStreamQuery"), 1);
    delay("cuStreamQuery", 0);
#pragma omp taskwait
    CHECK_EQ(here + there, 2);
#pragma omp target exit data map(release : word)
    return 0;
}
