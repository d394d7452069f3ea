/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread that others wait for sleeps as long as it asks for, and keeps what it has been given otherwise. */
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "device/device_thread.h"
#include "support/harness.h"
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

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_prompt_thread_has_no_slack_and_its_old_priority)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
