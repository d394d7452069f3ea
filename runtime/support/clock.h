/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NW_CLOCK_H
#define NW_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns monotonic time in nanoseconds. No system call on Linux (vDSO). */
static inline int64_t nw_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Tells the processor that this is a spin loop. */
static inline void nw_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
