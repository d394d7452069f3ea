/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A trip count that older code pushes is the next region's: of this thread, on that device, once. */
#include <pthread.h>

#include "omptarget/trip_count.h"
#include "support/harness.h"

static void a_push_counts_for_one_region(void **state)
{
    (void)state;
    assert_int_equal(nw_trip_count_take(0), 0);
    nw_trip_count_push(0, 100);
    assert_int_equal(nw_trip_count_take(0), 100);
    assert_int_equal(nw_trip_count_take(0), 0);
}

static void the_last_push_counts(void **state)
{
    (void)state;
    nw_trip_count_push(0, 100);
    nw_trip_count_push(0, 7);
    assert_int_equal(nw_trip_count_take(0), 7);
    assert_int_equal(nw_trip_count_take(0), 0);
}

static void a_region_on_another_device_leaves_it(void **state)
{
    (void)state;
    nw_trip_count_push(2, 100);
    assert_int_equal(nw_trip_count_take(1), 0);
    assert_int_equal(nw_trip_count_take(2), 100);
}

static void *take_elsewhere(void *taken_p)
{
    *(uint64_t *)taken_p = nw_trip_count_take(0);
    return NULL;
}

static void another_threads_region_leaves_it(void **state)
{
    (void)state;
    pthread_t thread;
    uint64_t taken = 1;
    nw_trip_count_push(0, 100);
    assert_int_equal(pthread_create(&thread, NULL, take_elsewhere, &taken), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(taken, 0);
    assert_int_equal(nw_trip_count_take(0), 100);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_push_counts_for_one_region),
        cmocka_unit_test(the_last_push_counts),
        cmocka_unit_test(a_region_on_another_device_leaves_it),
        cmocka_unit_test(another_threads_region_leaves_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
