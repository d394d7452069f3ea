/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A short sleep of one of the program's threads that ends when it should. */
#ifndef NW_NAP_H
#define NW_NAP_H

#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "support/clock.h"

/* Sleeps until the monotonic clock (nw_clock_ns) says `when`, whatever signals come. Linux would otherwise make it up
 * to 50 us longer, and the thread's own setting of that stays what it was. The C library's functions for this would be
 * cancellation points. */
static inline void nw_nap_until(int64_t when)
{
    struct timespec until = {.tv_sec = when / 1000000000, .tv_nsec = when % 1000000000};
    int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (slack > 1)
        prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    while (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0 && nw_clock_ns() < when)
        ;
    if (slack > 1)
        prctl(PR_SET_TIMERSLACK, (unsigned long)slack, 0, 0, 0);
}

#endif
