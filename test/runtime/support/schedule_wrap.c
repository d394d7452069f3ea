/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the linker leads what the runtime's threads wait by (--wrap), inside a run of schedule.h; outside, the real
 * functions are called. */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#include "support/schedule.h"

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_sched_yield(void);
int __wrap_sched_yield(void);
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

/* A word that a thread sleeps on, and what it saw there. */
typedef struct sleeper {
    const _Atomic uint32_t *word;
    uint32_t seen;
    bool woken;
    struct sleeper *next;
} sleeper_t;

static sleeper_t *sleepers;

static bool has_woken(void *argument)
{
    return ((const sleeper_t *)argument)->woken;
}

static long futex_wait(const _Atomic uint32_t *word, uint32_t seen, bool has_limit)
{
    schedule_point();
    if (atomic_load(word) != seen) {
        errno = EAGAIN;
        return -1;
    }
    /* Some sleeps end early, or in time. */
    if (has_limit) {
        schedule_pause();
        return 0;
    }
    sleeper_t sleeper = {.word = word, .next = sleepers};
    sleepers = &sleeper;
    schedule_wait(has_woken, &sleeper);
    return 0;
}

static long futex_wake(const _Atomic uint32_t *word, long most)
{
    long n = 0;
    for (sleeper_t **link = &sleepers; *link && n < most;) {
        if ((*link)->word != word) {
            link = &(*link)->next;
            continue;
        }
        sleeper_t *sleeper = *link;
        *link = sleeper->next;
        sleeper->woken = true;
        n++;
    }
    schedule_point();
    return n;
}

long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number != SYS_futex || schedule_self() < 0)
        return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if ((int)a[1] == FUTEX_WAIT_PRIVATE)
        return futex_wait((const _Atomic uint32_t *)a[0], (uint32_t)a[2], a[3] != 0);
    return futex_wake((const _Atomic uint32_t *)a[0], (int)a[2]);
}

int __wrap_sched_yield(void)
{
    if (schedule_self() < 0)
        return __real_sched_yield();
    schedule_pause();
    return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    if (schedule_self() < 0)
        return __real_clock_gettime(clock, time);
    int64_t ns = schedule_clock();
    *time = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    return 0;
}
