/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/processor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "cudaemu/emu.h"

/* The timer and the most workers there are. */
enum { MOST_THREADS = 256 };

static _Atomic clockid_t clocks[MOST_THREADS]; /* 0: not there yet, which is no thread's clock */
static _Atomic unsigned n_clocks;

void emu_processor_is_device(void)
{
    clockid_t clock;
    unsigned i = atomic_fetch_add(&n_clocks, 1);
    if (i >= MOST_THREADS || pthread_getcpuclockid(pthread_self(), &clock) != 0)
        emu_die("no clock for a thread of the device");
    atomic_store(&clocks[i], clock);
}

uint64_t cudaemu_device_ns(void)
{
    uint64_t sum = 0;
    unsigned n = atomic_load(&n_clocks);
    for (unsigned i = 0; i < n && i < MOST_THREADS; i++) {
        struct timespec used;
        clockid_t clock = atomic_load(&clocks[i]);
        if (clock != 0 && clock_gettime(clock, &used) == 0)
            sum += (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
    }
    return sum;
}
