/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the runtime's tests share: cmocka with the headers that it wants, a watchdog, captured standard error, and
 * checks that code ends the process.
 */
#ifndef NW_TEST_HARNESS_H
#define NW_TEST_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Seconds after which a test program that hangs ends with a message. Generous: sanitizers are slow and the machine may
 * be busy. */
#define WATCHDOG_SECONDS 600

/* Starts the watchdog; the first line of every main. */
void watchdog(unsigned seconds);

/* Captures what is written to standard error until capture_end, which returns it (at most 64 KiB) and puts standard
 * error back. The text stays valid until the next capture. */
void capture_begin(void);
const char *capture_end(void);

/* Number of lines of a text. */
size_t count_lines(const char *text);

/* Runs `body` in a child process; returns its exit status (128 + n after signal n) and, in *text_p, what it wrote to
 * standard error. For code that ends the process. */
int run_in_child(void (*body)(void), const char **text_p);

/* Runs `body` in a child and checks that it ends with exit status 1 and one line that contains `words`. */
void assert_fatal(void (*body)(void), const char *words);

/* Small random numbers that are the same in every run. */
uint32_t random_next(uint64_t *state);
static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
    return random_next(state) % n;
}

#endif
