/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sleeping on a word of memory until it changes. */
#ifndef NW_FUTEX_H
#define NW_FUTEX_H

#include <linux/futex.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps while *word is `seen`. May return early: the caller looks again. */
static inline void nw_futex_wait(_Atomic uint32_t *word, uint32_t seen)
{
    syscall(SYS_futex, (void *)word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

/* As nw_futex_wait, for at most ns nanoseconds. */
static inline void nw_futex_wait_for(_Atomic uint32_t *word, uint32_t seen, int64_t ns)
{
    struct timespec limit = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    syscall(SYS_futex, (void *)word, FUTEX_WAIT_PRIVATE, seen, &limit, NULL, 0);
}

/* Wakes at most `count` threads that sleep on the word. The word's memory may already be freed: then nothing happens,
 * or another sleeper wakes early, which nw_futex_wait's contract allows. */
static inline void nw_futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, (void *)word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

#endif
