/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread that others wait for sleeps as long as it asks for, and keeps what it has been given otherwise. It runs
 * where the process may, although the thread that makes it is bound. */
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "device/device_thread.h"
#include "support/harness.h"
#include "support/processors.h"
#include "support/time_slice.h"

typedef struct seen {
    int slack, policy, niceness;
    uint64_t slice; /* 0: this Linux has none of a thread's own */
} seen_t;

static uint64_t own_slice(void)
{
    nw_sched_attributes_t attributes;
    return nw_sched_attributes_get(&attributes) ? attributes.slice : 0;
}

static void *become_prompt(void *argument)
{
    seen_t *seen = argument;
    nw_device_thread_be_prompt();
    seen->slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    seen->policy = sched_getscheduler(0);
    seen->niceness = getpriority(PRIO_PROCESS, 0);
    seen->slice = own_slice();
    return NULL;
}

static void a_prompt_thread_has_no_slack_and_its_old_priority(void **state)
{
    (void)state;
    seen_t seen = {-1, -1, -1, 0};
    pthread_t thread;
    int niceness = getpriority(PRIO_PROCESS, 0), policy = sched_getscheduler(0);
    assert_int_equal(pthread_create(&thread, NULL, become_prompt, &seen), 0);
    pthread_join(thread, NULL);
    assert_int_equal(seen.slack, 1);
    assert_int_equal(seen.policy, policy);
    assert_int_equal(seen.niceness, niceness);
    if (own_slice() != 0)
        assert_int_equal(seen.slice, 100000);
    assert_true(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) > 1);
}

static cpu_set_t own_processors(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
}

static bool runs_on(const cpu_set_t *expected)
{
    cpu_set_t own = own_processors();
    return CPU_EQUAL(&own, expected);
}

static void bind_to_the_first_of(const cpu_set_t *set)
{
    cpu_set_t one;
    size_t cpu = 0;
    while (!CPU_ISSET(cpu, set))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

typedef struct born {
    cpu_set_t at_first, as_device_thread, bound_again, unbound;
    char name[16];
} born_t;

static void *become_device_thread(void *argument)
{
    born_t *born = argument;
    born->at_first = own_processors();
    nw_device_thread_met_libomp(); /* it is none yet */
    assert_true(runs_on(&born->at_first));
    nw_device_thread_begin("nowait-test");
    born->as_device_thread = own_processors();
    bind_to_the_first_of(&born->as_device_thread);
    born->bound_again = own_processors();
    nw_device_thread_met_libomp();
    born->unbound = own_processors();
    prctl(PR_GET_NAME, born->name, 0, 0, 0);
    return NULL;
}

static void a_device_thread_of_a_bound_thread_is_not_bound(void **state)
{
    (void)state;
    pthread_t thread;
    born_t born;
    cpu_set_t all = own_processors();
    nw_processors_remember();
    bind_to_the_first_of(&all);
    assert_int_equal(pthread_create(&thread, NULL, become_device_thread, &born), 0);
    pthread_join(thread, NULL);
    assert_int_equal(CPU_COUNT(&born.at_first), 1);
    assert_true(CPU_EQUAL(&born.as_device_thread, &all));
    assert_int_equal(CPU_COUNT(&born.bound_again), 1);
    assert_true(CPU_EQUAL(&born.unbound, &all));
    assert_string_equal(born.name, "nowait-test");
    /* Its maker is still where it was. */
    cpu_set_t still = own_processors();
    assert_int_equal(CPU_COUNT(&still), 1);
    nw_processors_use_all();
    assert_true(runs_on(&all));
}

static void processors_are_borrowed_and_given_back(void **state)
{
    (void)state;
    nw_processors_t own;
    cpu_set_t all = own_processors();
    nw_processors_remember();
    bind_to_the_first_of(&all);
    cpu_set_t bound = own_processors();
    nw_processors_borrow(&own);
    assert_true(runs_on(&all));
    nw_processors_return(&own);
    assert_true(runs_on(&bound));
    /* Where there is nothing to borrow, nothing is given back. */
    nw_processors_use_all();
    nw_processors_borrow(&own);
    bind_to_the_first_of(&all);
    nw_processors_return(&own);
    assert_true(runs_on(&bound));
    nw_processors_use_all();
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prompt_thread_has_no_slack_and_its_old_priority),
        cmocka_unit_test(a_device_thread_of_a_bound_thread_is_not_bound),
        cmocka_unit_test(processors_are_borrowed_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
