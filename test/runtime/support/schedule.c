/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/schedule.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/harness.h"

/* A run with more steps than this does not come to its end. */
#define MOST_STEPS 100000
/* So often in a row threads may look in vain while no other one can go on. */
#define MOST_VAIN_LOOKS 200
/* Seconds after which a run is ended from outside: a thread waits in a way that is not known here. */
#define RUN_SECONDS 60

typedef enum thread_state { GOES_ON, PAUSES, WAITS, IS_OVER } thread_state_t;

typedef struct thread {
    sem_t go;
    thread_state_t state;
    uint64_t paused_at; /* step */
    bool (*ready)(void *);
    void *argument;
    void (*function)(void *);
    void *function_argument;
} thread_t;

static schedule_run_t *run; /* NULL outside a run */
static thread_t threads[SCHEDULE_MAX_THREADS];
static int n_threads;
static uint64_t steps, random_state;
static uint32_t vain_looks, deviates_every;
static int64_t now;
static bool repeats;

static _Thread_local int self = -1;

int schedule_self(void)
{
    return run ? self : -1;
}

int64_t schedule_clock(void)
{
    return now += 50;
}

_Noreturn void schedule_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (run->failure[0] == '\0')
        vsnprintf(run->failure, sizeof run->failure, format, arguments);
    va_end(arguments);
    if (repeats) {
        fprintf(stderr, "%s\n", run->failure);
        abort();
    }
    _exit(1);
}

static uint32_t take(uint32_t n, bool usual_is_no_better)
{
    if (n < 2)
        return 0;
    uint32_t i = run->n_choices;
    if (i == SCHEDULE_MAX_CHOICES)
        schedule_fail("no end after %u choices", i);
    uint32_t taken = 0;
    if (i < run->n_given) {
        taken = run->choices[i].taken;
        if (taken >= n)
            schedule_fail("the run is not the one that was recorded: choice %u is one of %u", i, n);
    } else if (run->seed && (usual_is_no_better || random_below(&random_state, deviates_every) == 0)) {
        taken = random_below(&random_state, n);
    }
    run->choices[i] = (schedule_choice_t){.n = (uint16_t)n, .taken = (uint16_t)taken};
    run->n_choices = i + 1;
    return taken;
}

uint32_t schedule_choose(uint32_t n)
{
    return take(n, true);
}

static bool can_go_on(const thread_t *thread)
{
    switch (thread->state) {
    case GOES_ON:
        return true;
    case PAUSES:
        return steps > thread->paused_at;
    case WAITS:
        return thread->ready(thread->argument);
    case IS_OVER:
        break;
    }
    return false;
}

/* The threads that can go on, the calling one first, then those behind it in turn. */
static uint32_t candidates(int *list)
{
    uint32_t n = 0;
    for (int i = 0; i < n_threads; i++) {
        int number = (self + i) % n_threads;
        if (can_go_on(&threads[number]))
            list[n++] = number;
    }
    if (n > 0)
        return n;
    /* Those that pause look again: time passes, and what they wait for may be a time. */
    now += 1000000;
    for (int i = 1; i <= n_threads; i++) {
        int number = (self + i) % n_threads;
        if (threads[number].state == PAUSES)
            list[n++] = number;
    }
    if (n == 0)
        schedule_fail("stuck: all threads wait");
    if (++vain_looks > MOST_VAIN_LOOKS)
        schedule_fail("stuck: threads only look for work");
    return n;
}

static void sleep_until_told(void)
{
    while (sem_wait(&threads[self].go) != 0)
        continue;
}

/* Lets one of the threads go on, and returns when the calling one may; not if it is over. */
static void switch_threads(void)
{
    int list[SCHEDULE_MAX_THREADS];
    uint32_t n = candidates(list);
    run->n_points++;
    if (++steps > MOST_STEPS)
        schedule_fail("no end after %d steps", MOST_STEPS);
    int next = list[take(n, list[0] != self)];
    if (threads[next].state == GOES_ON)
        vain_looks = 0;
    threads[next].state = GOES_ON;
    if (next == self)
        return;
    bool over = threads[self].state == IS_OVER;
    sem_post(&threads[next].go);
    if (!over)
        sleep_until_told();
}

void schedule_point(void)
{
    if (schedule_self() >= 0)
        switch_threads();
}

void schedule_pause(void)
{
    threads[self].state = PAUSES;
    threads[self].paused_at = steps + 1;
    switch_threads();
}

void schedule_wait(bool (*ready)(void *), void *argument)
{
    threads[self].state = WAITS;
    threads[self].ready = ready;
    threads[self].argument = argument;
    switch_threads();
}

static void *thread_main(void *argument)
{
    thread_t *thread = argument;
    self = (int)(thread - threads);
    sleep_until_told();
    thread->function(thread->function_argument);
    thread->state = IS_OVER;
    switch_threads();
    return NULL;
}

int schedule_start(void (*function)(void *), void *argument)
{
    if (n_threads == SCHEDULE_MAX_THREADS)
        schedule_fail("too many threads");
    thread_t *thread = &threads[n_threads];
    *thread = (thread_t){.state = GOES_ON, .function = function, .function_argument = argument};
    sem_init(&thread->go, 0, 0);
    pthread_attr_t attributes;
    pthread_t handle;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&handle, &attributes, thread_main, thread) != 0)
        schedule_fail("no thread can be started");
    pthread_attr_destroy(&attributes);
    return n_threads++;
}

static bool others_are_over(void *waiting)
{
    for (int i = 0; i < n_threads; i++) {
        if (&threads[i] != waiting && threads[i].state != IS_OVER)
            return false;
    }
    return true;
}

void schedule_join(void)
{
    schedule_wait(others_are_over, &threads[self]);
}

/* One processor: a thread that is told to go on then needs no other one to wake up. */
static void stay_on_one_processor(void)
{
    cpu_set_t set;
    int processor = sched_getcpu();
    CPU_ZERO(&set);
    CPU_SET(processor < 0 ? 0 : (unsigned)processor, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

static _Noreturn void run_body(schedule_run_t *shared, void (*body)(void *), void *argument)
{
    alarm(RUN_SECONDS);
    signal(SIGALRM, SIG_DFL);
    stay_on_one_processor();
    run = shared;
    self = 0;
    n_threads = 1;
    sem_init(&threads[0].go, 0, 0);
    threads[0].state = GOES_ON;
    random_state = run->seed;
    deviates_every = 2u << (2 * random_below(&random_state, 3));
    body(argument);
    _exit(0);
}

_Noreturn void schedule_repeat(uint64_t seed, int n_choices, char *const *choices, void (*body)(void *), void *argument)
{
    static schedule_run_t shared;
    shared.seed = seed;
    for (int i = 0; i < n_choices; i++) {
        char *end;
        unsigned long number = strtoul(choices[i], &end, 10);
        shared.choices[number % SCHEDULE_MAX_CHOICES].taken = (uint16_t)strtoul(end + 1, NULL, 10);
        shared.n_given = (uint32_t)number + 1;
    }
    repeats = true;
    run_body(&shared, body, argument);
}

/* Runs once; returns whether it went well. */
static bool run_once(schedule_run_t *shared, void (*body)(void *), void *argument, schedule_totals_t *totals)
{
    shared->n_choices = 0;
    shared->n_points = 0;
    shared->failure[0] = '\0';
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        run_body(shared, body, argument);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        snprintf(shared->failure, sizeof shared->failure, "no process can be started");
        return false;
    }
    totals->runs++;
    totals->points += shared->n_points;
    if (status == 0)
        return true;
    if (shared->failure[0] == '\0' && WIFSIGNALED(status))
        snprintf(shared->failure, sizeof shared->failure, WTERMSIG(status) == SIGALRM ? "hangs" : "signal %d",
                 WTERMSIG(status));
    else if (shared->failure[0] == '\0')
        snprintf(shared->failure, sizeof shared->failure, "exit status %d", WEXITSTATUS(status));
    return false;
}

/* Sets up the ordered run behind the one that has been: false if there is none. */
static bool next_ordered(schedule_run_t *shared, uint32_t most_deviations)
{
    uint32_t deviations = 0;
    for (uint32_t i = 0; i < shared->n_choices; i++)
        deviations += shared->choices[i].taken > 0;
    for (uint32_t i = shared->n_choices; i-- > 0;) {
        schedule_choice_t *choice = &shared->choices[i];
        deviations -= choice->taken > 0;
        if (choice->taken + 1 < choice->n && deviations < most_deviations) {
            choice->taken++;
            shared->n_given = i + 1;
            return true;
        }
    }
    return false;
}

static const char *describe_failure(const schedule_run_t *shared)
{
    static char words[16384];
    int length =
        snprintf(words, sizeof words, "%s\nrun of seed %llu with", shared->failure, (unsigned long long)shared->seed);
    for (uint32_t i = 0; i < shared->n_choices && length < (int)sizeof words - 32; i++) {
        if (shared->choices[i].taken > 0)
            length += snprintf(words + length, sizeof words - (size_t)length, " %u:%u/%u", i, shared->choices[i].taken,
                               shared->choices[i].n);
    }
    snprintf(words + length, sizeof words - (size_t)length, " of %u choices", shared->n_choices);
    return words;
}

const char *schedule_explore(const schedule_limits_t *limits, void (*body)(void *), void *argument,
                             schedule_totals_t *totals)
{
    static schedule_run_t *shared;
    if (!shared)
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return "no shared memory";
    shared->seed = 0;
    shared->n_given = 0;
    uint32_t n = 0;
    bool more = limits->most_ordered > 0;
    while (more && n++ < limits->most_ordered) {
        if (!run_once(shared, body, argument, totals))
            return describe_failure(shared);
        more = next_ordered(shared, limits->deviations);
    }
    totals->complete += !more;
    shared->n_given = 0;
    for (uint32_t i = 0; i < limits->random; i++) {
        shared->seed = limits->first_seed + i;
        if (!run_once(shared, body, argument, totals))
            return describe_failure(shared);
    }
    return NULL;
}
