// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the program launch regions and end without waiting for them: by return, by pthread_exit, cancelled,
// by the destructors of a key, with regions that tasks of theirs have launched. Each ends, its
// regions come to their ends with the right data, and nothing is left: no thread, no device memory, no descriptor.
// libomp waits for such regions under a lock that threads need which it meets for the first time, or which form teams,
// as these regions do.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"
#include <pthread.h>

enum { MOST = 64, WORDS = 4, WAYS = 7, CHURN = 60 };

/* Outlive the threads. */
static int results[MOST][WORDS];
/* Threads that wait to be cancelled. */
static int waiting;

static void launch(int *words)
{
#pragma omp target map(tofrom : words[0]) nowait
    {
        sleep_us(2000);
        words[0]++;
    }
    /* A team of its own. */
#pragma omp target parallel map(tofrom : words[1]) num_threads(2) nowait
#pragma omp single
    {
        sleep_us(1000);
        words[1]++;
    }
}

static void launch_chain(int *words)
{
#pragma omp target map(tofrom : words[2]) depend(inout : words[2]) nowait
    {
        sleep_us(1000);
        words[2]++;
    }
#pragma omp task depend(inout : words[2]) firstprivate(words)
    words[3] = 1;
#pragma omp target map(tofrom : words[2]) depend(inout : words[2]) nowait
    words[2]--;
}

static void *returns(void *words)
{
    launch(words);
    launch_chain(words);
    return NULL;
}

static void *exits(void *words)
{
    launch(words);
    launch_chain(words);
    pthread_exit(NULL);
}

static void *is_cancelled(void *words)
{
    launch(words);
    launch_chain(words);
    count_up(&waiting);
    for (;;)
        pause();
    return NULL;
}

/* Regions whose parents are over when the thread ends. */
static void *has_tasks(void *words)
{
    int *own = words;
#pragma omp task firstprivate(own)
    launch(own);
#pragma omp task firstprivate(own)
    {
#pragma omp task firstprivate(own)
        launch_chain(own);
    }
    return NULL;
}

static pthread_key_t key;

static void *has_destructors(void *words)
{
    CHECK_EQ(pthread_setspecific(key, words), 0);
    launch(words);
    return NULL;
}

/* Behind libomp's own end of the thread, or before it. */
static void destroy(void *words)
{
    launch_chain(words);
}

/* Nothing of a thread's is left for the next one that is given its memory. */
static void *waits_for_one(void *words)
{
    int *own = words;
    launch(own);
    launch_chain(own);
#pragma omp taskwait depend(in : own[2])
    CHECK_EQ(own[3], 1);
    return NULL;
}

static void *does_not_wait_without_nowait(void *words)
{
    launch(words);
    launch_chain(words);
    int other = 0;
#pragma omp target map(tofrom : other)
    other++;
    CHECK_EQ(other, 1);
    return NULL;
}

static void *(*const ways[WAYS])(void *) = {
    returns, exits, is_cancelled, has_tasks, has_destructors, waits_for_one, does_not_wait_without_nowait};

static void check(const int *words)
{
    CHECK_EQ(words[0], 1);
    CHECK_EQ(words[1], 1);
    CHECK_EQ(words[2], 0);
    CHECK_EQ(words[3], 1);
}

/* way: of all; WAYS: each another one. */
static void run(int n, int way)
{
    pthread_t threads[MOST];
    int cancelled = 0;
    memset(results, 0, sizeof results);
    waiting = 0;
    for (int i = 0; i < n; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, ways[(way + i * (way == WAYS)) % WAYS], results[i]), 0);
    for (int i = 0; i < n; i++)
        cancelled += ways[(way + i * (way == WAYS)) % WAYS] == is_cancelled;
    wait_for(&waiting, cancelled);
    for (int i = 0; i < n; i++) {
        if (ways[(way + i * (way == WAYS)) % WAYS] == is_cancelled)
            CHECK_EQ(pthread_cancel(threads[i]), 0);
    }
    for (int i = 0; i < n; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < n; i++)
        check(results[i]);
}

int main(void)
{
    watchdog(110);
    CHECK_EQ(pthread_key_create(&key, destroy), 0);
    /* The first one is the first, too, that libomp and the device meet. */
    for (int way = 0; way <= WAYS; way++) {
        run(1, way);
        run(8, way);
    }
    run(MOST, WAYS);
    for (int i = 0; i < CHURN; i++)
        run(1, i % WAYS);
    return 0;
}
