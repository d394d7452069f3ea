/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads of which one runs at a time, and a choice at each point says which: so a run can be repeated, and all runs of
 * something small be tried.
 *
 * A run is a child process, so each begins in the same state, and one that crashes or hangs is only a run that fails. A
 * choice of 0 is the usual one: a thread goes on, or the next one in turn does. All other choices are *deviations*.
 * The time that nw_clock_ns says in a run is counted, not measured.
 *
 * The linker leads the runtime's futexes, sched_yield and clock here (schedule_wrap.c); so what a thread waits for has
 * to be one of these, or something of the fake libomp's.
 */
#ifndef NW_TEST_SCHEDULE_H
#define NW_TEST_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_MAX_CHOICES 8192
#define SCHEDULE_MAX_THREADS 16

typedef struct schedule_choice {
    uint16_t n, taken;
} schedule_choice_t;

/* One run, in memory that both processes see. */
typedef struct schedule_run {
    uint64_t seed;    /* of the choices behind those given; 0: they are 0 */
    uint32_t n_given; /* of the choices below, to be taken again */
    uint32_t n_choices;
    uint64_t n_points; /* so many times another thread could have gone on */
    schedule_choice_t choices[SCHEDULE_MAX_CHOICES];
    char failure[2048]; /* empty: none */
} schedule_run_t;

/* How much to try. */
typedef struct schedule_limits {
    uint32_t deviations;   /* all runs with up to so many, */
    uint32_t most_ordered; /* but no more than these */
    uint32_t random;       /* and so many by chance */
    uint64_t first_seed;   /* not 0 */
} schedule_limits_t;

typedef struct schedule_totals {
    uint64_t runs, points;
    uint64_t complete; /* programs whose ordered runs were all tried */
} schedule_totals_t;

/* Tries `body(argument)`, which runs in child processes as thread 0, and adds to the totals. Returns NULL, or what is
 * wrong with the first run that failed, with all that repeats it. */
const char *schedule_explore(const schedule_limits_t *limits, void (*body)(void *), void *argument,
                             schedule_totals_t *totals);

/* Repeats one run in the calling process, for a debugger, and ends the process. The choices that are not 0,
 * "NUMBER:TAKEN" each, are those of the line that schedule_explore's answer has for a run of seed 0; others need only
 * their seed. */
_Noreturn void schedule_repeat(uint64_t seed, int n_choices, char *const *choices, void (*body)(void *),
                               void *argument);

/* The rest is for the inside of a run. */

/* Starts a thread. Returns its number; thread 0 is the one that runs the body. */
int schedule_start(void (*function)(void *), void *argument);

/* The calling thread's number; -1 outside a run. */
int schedule_self(void);

/* Another thread may go on here. */
void schedule_point(void);

/* The calling thread finds nothing to do: others go on first, if there are any. */
void schedule_pause(void);

/* Others go on until ready(argument), which has no effects. */
void schedule_wait(bool (*ready)(void *), void *argument);

/* A choice of one of n that has nothing to do with threads. */
uint32_t schedule_choose(uint32_t n);

/* Waits for the ends of all other threads. */
void schedule_join(void);

/* Ends the run as failed, with a line. */
_Noreturn void schedule_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Nanoseconds of a run's time. */
int64_t schedule_clock(void);

#endif
