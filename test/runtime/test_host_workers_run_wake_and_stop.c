/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The threads of the CPU device. They are started once in a process, so what ends them runs in children. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device/host/host_workers.h"
#include "support/harness.h"

enum { LIMIT = 4, RING = 8192 };

/* A work without steps, whose `done` is the test's. */
typedef struct job {
    nw_work_t work; /* first */
    sem_t *gate;    /* NULL, or what `done` waits for first */
    uint32_t order;
} job_t;

static _Atomic uint32_t n_done, n_ordered;

static void job_done(nw_work_t *work, nw_status_t status)
{
    job_t *job = (job_t *)work;
    assert_int_equal(status, NW_OK);
    if (job->gate) {
        while (sem_wait(job->gate) != 0)
            ;
    }
    job->order = atomic_fetch_add(&n_ordered, 1);
    /* The last touch: the test frees jobs when all are counted. */
    atomic_fetch_add(&n_done, 1);
}

static void nap(long us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

static void wait_until_done(uint32_t n)
{
    while (atomic_load(&n_done) < n)
        nap(50);
    assert_int_equal(atomic_load(&n_done), n);
}

static job_t *new_jobs(size_t n, sem_t *gate)
{
    job_t *jobs = calloc(n, sizeof *jobs);
    assert_non_null(jobs);
    for (size_t i = 0; i < n; i++) {
        jobs[i].work.done = job_done;
        jobs[i].gate = gate;
    }
    return jobs;
}

static int start(void **state)
{
    (void)state;
    /* A short spin, so that workers do go to sleep between works. */
    return nw_host_workers_start(LIMIT, 20000, 0) == NW_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    nw_host_workers_stop();
    return 0;
}

static void begin(void)
{
    atomic_store(&n_done, 0);
    atomic_store(&n_ordered, 0);
}

static void works_run(void **state)
{
    (void)state;
    begin();
    job_t *jobs = new_jobs(1000, NULL);
    for (int i = 0; i < 1000; i++)
        nw_host_workers_push(&jobs[i].work);
    wait_until_done(1000);
    free(jobs);
}

static void a_push_wakes_workers_that_sleep(void **state)
{
    (void)state;
    begin();
    job_t *jobs = new_jobs(300, NULL);
    for (uint32_t i = 0; i < 300; i++) {
        /* From well within the spin time to well behind it. */
        nap(i % 30 * 4);
        nw_host_workers_push(&jobs[i].work);
        wait_until_done(i + 1);
    }
    free(jobs);
}

static void more_works_than_the_ring_holds_may_be_in_flight(void **state)
{
    (void)state;
    begin();
    sem_t gate;
    sem_init(&gate, 0, 0);
    uint32_t n = 3 * RING;
    job_t *held = new_jobs(LIMIT, &gate), *jobs = new_jobs(n, NULL);
    for (int i = 0; i < LIMIT; i++)
        nw_host_workers_push(&held[i].work);
    for (uint32_t i = 0; i < n; i++)
        nw_host_workers_push(&jobs[i].work);
    assert_true(atomic_load(&n_done) <= n);
    for (int i = 0; i < LIMIT; i++)
        sem_post(&gate);
    wait_until_done(LIMIT + n);
    /* The ring is in use again when the overflow has been worked off. */
    begin();
    for (uint32_t i = 0; i < 100; i++)
        nw_host_workers_push(&jobs[i].work);
    wait_until_done(100);
    free(held);
    free(jobs);
    sem_destroy(&gate);
}

static void long_works_do_not_hold_up_short_ones(void **state)
{
    (void)state;
    begin();
    sem_t gate;
    sem_init(&gate, 0, 0);
    job_t *held = new_jobs(LIMIT - 1, &gate), *jobs = new_jobs(500, NULL);
    for (int i = 0; i < LIMIT - 1; i++)
        nw_host_workers_push(&held[i].work);
    for (uint32_t i = 0; i < 500; i++) {
        nw_host_workers_push(&jobs[i].work);
        if (i % 50 == 0)
            wait_until_done(i + 1);
    }
    wait_until_done(500);
    for (int i = 0; i < LIMIT - 1; i++)
        sem_post(&gate);
    wait_until_done(500 + LIMIT - 1);
    free(held);
    free(jobs);
    sem_destroy(&gate);
}

static void *push_many(void *argument)
{
    job_t *jobs = argument;
    for (int i = 0; i < 3000; i++) {
        nw_host_workers_push(&jobs[i].work);
        if (i % 100 == 0)
            nap(30);
    }
    return NULL;
}

static void several_threads_push(void **state)
{
    (void)state;
    begin();
    pthread_t threads[4];
    job_t *jobs[4];
    for (int i = 0; i < 4; i++) {
        jobs[i] = new_jobs(3000, NULL);
        assert_int_equal(pthread_create(&threads[i], NULL, push_many, jobs[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    wait_until_done(4 * 3000);
    for (int i = 0; i < 4; i++)
        free(jobs[i]);
}

/* A work that pushes the next one, as the end of an operation starts what waited for it. */
typedef struct chain {
    nw_work_t work; /* first */
    int left;
} chain_t;

static void next_of_chain(nw_work_t *work, nw_status_t status)
{
    chain_t *chain = (chain_t *)work;
    assert_int_equal(status, NW_OK);
    if (--chain->left > 0)
        nw_host_workers_push(work);
    else
        atomic_fetch_add(&n_done, 1);
}

static void works_may_push_works(void **state)
{
    (void)state;
    begin();
    chain_t chains[8];
    memset(chains, 0, sizeof chains);
    for (int i = 0; i < 8; i++) {
        chains[i].work.done = next_of_chain;
        chains[i].left = 2000;
        nw_host_workers_push(&chains[i].work);
    }
    wait_until_done(8);
}

static void run_alone_then_stop(void)
{
    begin();
    if (nw_host_workers_start(1, 0, 0) != NW_OK)
        return;
    job_t *jobs = new_jobs(200, NULL);
    for (int i = 0; i < 200; i++)
        nw_host_workers_push(&jobs[i].work);
    wait_until_done(200);
    /* One worker: works run in the order in which they were pushed. */
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(jobs[i].order, i);
    nw_host_workers_stop();
    free(jobs);
}

static void a_single_worker_without_spin_keeps_the_order_and_stops(void **state)
{
    (void)state;
    const char *text;
    assert_int_equal(run_in_child(run_alone_then_stop, &text), 0);
    assert_string_equal(text, "");
}

static void stop_while_a_work_runs(void)
{
    begin();
    sem_t gate;
    sem_init(&gate, 0, 1);
    if (nw_host_workers_start(2, 1000000000, 0) != NW_OK)
        return;
    job_t *job = new_jobs(1, &gate);
    nw_host_workers_push(&job->work);
    wait_until_done(1);
    nw_host_workers_stop();
    free(job);
}

static void workers_that_spin_stop_too(void **state)
{
    (void)state;
    const char *text;
    assert_int_equal(run_in_child(stop_while_a_work_runs, &text), 0);
    assert_string_equal(text, "");
}

static pthread_key_t end_of_thread;
static pthread_barrier_t all_workers;
static _Atomic int ending, n_ended;

/* What libomp does at a thread's end. */
static void note_end(void *unused)
{
    (void)unused;
    if (atomic_fetch_add(&ending, 1) != 0)
        fputs("another worker is ending\n", stderr);
    nap(5000);
    atomic_fetch_sub(&ending, 1);
    atomic_fetch_add(&n_ended, 1);
}

/* Holds its worker until each has one. */
static void mark_worker(nw_work_t *work, nw_status_t status)
{
    pthread_setspecific(end_of_thread, &ending);
    pthread_barrier_wait(&all_workers);
    job_done(work, status);
}

static void stop_marked_workers(void)
{
    begin();
    if (nw_host_workers_start(LIMIT, 0, 0) != NW_OK || pthread_key_create(&end_of_thread, note_end) != 0 ||
        pthread_barrier_init(&all_workers, NULL, LIMIT) != 0)
        _exit(1);
    job_t *jobs = new_jobs(LIMIT, NULL);
    for (int i = 0; i < LIMIT; i++) {
        jobs[i].work.done = mark_worker;
        nw_host_workers_push(&jobs[i].work);
    }
    wait_until_done(LIMIT);
    nw_host_workers_stop();
    if (atomic_load(&n_ended) != LIMIT)
        fputs("not every worker has ended\n", stderr);
    free(jobs);
}

static void workers_end_one_at_a_time(void **state)
{
    (void)state;
    const char *text;
    assert_int_equal(run_in_child(stop_marked_workers, &text), 0);
    assert_string_equal(text, "");
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    /* Children first: they are forked while this process has no threads. */
    const struct CMUnitTest alone[] = {
        cmocka_unit_test(a_single_worker_without_spin_keeps_the_order_and_stops),
        cmocka_unit_test(workers_that_spin_stop_too),
        cmocka_unit_test(workers_end_one_at_a_time),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(works_run),
        cmocka_unit_test(a_push_wakes_workers_that_sleep),
        cmocka_unit_test(more_works_than_the_ring_holds_may_be_in_flight),
        cmocka_unit_test(long_works_do_not_hold_up_short_ones),
        cmocka_unit_test(several_threads_push),
        cmocka_unit_test(works_may_push_works),
    };
    int failed = cmocka_run_group_tests(alone, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, start, stop);
}
