/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread that looks for something offers its processor to others; where these take it, it sleeps instead. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "support/harness.h"
#include "support/spin.h"

enum { LONG = 1000000000 };

static _Atomic bool stop;

static void *compute(void *unused)
{
    (void)unused;
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        ;
    return NULL;
}

/* Looks until an offer has been taken. */
static void look_until_futile(void)
{
    nw_spin_t spin = {0};
    while (!nw_spin_is_futile())
        (void)nw_spin(&spin, LONG);
}

/* How often the thread is told to sleep before it may look again. */
static unsigned count_early_sleeps(void)
{
    unsigned n = 0;
    for (; nw_spin_is_futile(); n++) {
        nw_spin_t spin = {0};
        while (nw_spin(&spin, LONG))
            assert_true(spin.looks % NW_SPIN_LOOKS != 0);
    }
    return n;
}

static void looking_ends_with_its_time(void **state)
{
    (void)state;
    nw_spin_t spin = {0};
    int64_t begin = nw_clock_ns();
    while (nw_spin(&spin, 100000))
        ;
    assert_true(nw_clock_ns() - begin >= 100000 || nw_spin_is_futile());
    spin = (nw_spin_t){0};
    assert_false(nw_spin(&spin, 0));
}

static void *look_beside_one_that_computes(void *counts)
{
    unsigned *n = counts;
    for (int i = 0; i < 3; i++) {
        look_until_futile();
        n[i] = count_early_sleeps();
    }
    return NULL;
}

static void a_thread_whose_offers_are_taken_sleeps_early_for_a_while(void **state)
{
    (void)state;
    /* Both on one processor. The looking thread is a new one, so nothing has been taken from it yet. */
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    pthread_t computing, looking;
    unsigned n[3] = {0};
    assert_int_equal(pthread_create(&computing, NULL, compute, NULL), 0);
    assert_int_equal(pthread_create(&looking, NULL, look_beside_one_that_computes, n), 0);
    pthread_join(looking, NULL);
    atomic_store(&stop, true);
    pthread_join(computing, NULL);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    for (int i = 0; i < 3; i++)
        assert_in_range(n[i], 2, 1000);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_ends_with_its_time),
        cmocka_unit_test(a_thread_whose_offers_are_taken_sleeps_early_for_a_while),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
