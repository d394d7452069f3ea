/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the end-to-end tests share: checks, a watchdog, clocks, and code that keeps the device busy.
 *
 * The checks do not depend on NDEBUG. A failed check leaves with _exit: what is in flight must neither hide the line
 * that says what is wrong nor turn it into a hang.
 *
 * The CPU device lives in the host's address space, so a region that is handed a host address (is_device_ptr) can read
 * and write the host's own words. That makes order visible without clocks: a region can wait at a gate which the host
 * opens, and it can count itself where the host sees it at once.
 */
#ifndef NOWAIT_TEST_CHECK_H
#define NOWAIT_TEST_CHECK_H

#include <dirent.h>
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#pragma clang diagnostic ignored "-Wunused-function"
#endif

#define CHECK(cond)                                                                                                    \
    do {                                                                                                               \
        if (!(cond)) {                                                                                                 \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #cond);                                   \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

#define CHECK_REL(a, op, b, type, format)                                                                              \
    do {                                                                                                               \
        type check_a = (type)(a);                                                                                      \
        type check_b = (type)(b);                                                                                      \
        if (!(check_a op check_b)) {                                                                                   \
            fprintf(stderr, "%s:%d: check failed: %s %s %s, with " format " and " format "\n", __FILE__, __LINE__, #a, \
                    #op, #b, check_a, check_b);                                                                        \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

#define CHECK_EQ(a, b) CHECK_REL(a, ==, b, long long, "%lld")
#define CHECK_NE(a, b) CHECK_REL(a, !=, b, long long, "%lld")
#define CHECK_LE(a, b) CHECK_REL(a, <=, b, double, "%g")
#define CHECK_GE(a, b) CHECK_REL(a, >=, b, double, "%g")
#define CHECK_PTR_EQ(a, b) CHECK_REL(a, ==, b, const void *, "%p")

static void watchdog_bark(int sig)
{
    static const char text[] = "watchdog: the test hangs\n";
    (void)sig;
    if (write(2, text, sizeof text - 1) < 0)
        _exit(4);
    _exit(3);
}

/* Other work on the machine slows a program down, but by less than this. */
enum { WATCHDOG_PATIENCE = 10 };

/* Ends the program with a message and exit status 3 if it hangs; `seconds`: what it takes at the very most on a machine
 * of its own. */
static void watchdog(unsigned seconds)
{
    signal(SIGALRM, watchdog_bark);
    alarm(seconds * WATCHDOG_PATIENCE);
}

/* The calling thread's processor time. */
static double used_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#pragma omp begin declare target

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Sleeps instead of spinning, so that tests of overlap work on one core too. */
static void sleep_us(long us)
{
    struct timespec t;
    t.tv_sec = us / 1000000;
    t.tv_nsec = us % 1000000 * 1000;
    nanosleep(&t, NULL);
}

static void busy_ms(int ms)
{
    double end = now_ms() + ms;
    while (now_ms() < end)
        sleep_us(500);
}

static int peek(int *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void gate_open(int *gate)
{
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
}

/* Adds one and returns the value from before. */
static int count_up(int *word)
{
    return __atomic_fetch_add(word, 1, __ATOMIC_ACQ_REL);
}

static void wait_for(int *word, int at_least)
{
    while (peek(word) < at_least)
        sleep_us(50);
}

static void gate_wait(int *gate)
{
    wait_for(gate, 1);
}

#pragma omp end declare target

#endif
