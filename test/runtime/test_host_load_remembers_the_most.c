/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many kernels the CPU devices have had at once lately; see host_load.h. */
#include "device/host/host_load.h"
#include "support/harness.h"

#define WINDOW ((int64_t)1 << NW_HOST_LOAD_WINDOW_BITS)

static void test_the_most_counts_for_two_windows(void **state)
{
    (void)state;
    nw_host_load_t load = {0};
    int64_t time = 1000 * WINDOW;
    assert_int_equal(nw_host_load_note(&load, 1, time), 1);
    assert_int_equal(nw_host_load_note(&load, 4, time + 1), 4);
    assert_int_equal(nw_host_load_note(&load, 2, time + 2), 4);
    /* The next window still knows of the one before, and a lower number of its own does not hide that. */
    assert_int_equal(nw_host_load_note(&load, 1, time + WINDOW), 4);
    assert_int_equal(nw_host_load_note(&load, 3, time + WINDOW + 1), 4);
    assert_int_equal(nw_host_load_note(&load, 1, time + 2 * WINDOW), 3);
    assert_int_equal(nw_host_load_note(&load, 1, time + 3 * WINDOW), 1);
}

static void test_a_pause_forgets(void **state)
{
    (void)state;
    nw_host_load_t load = {0};
    int64_t time = 7 * WINDOW;
    assert_int_equal(nw_host_load_note(&load, 9, time), 9);
    assert_int_equal(nw_host_load_note(&load, 1, time + 2 * WINDOW), 1);
    /* However long the machine has been up, and from whatever time on. */
    assert_int_equal(nw_host_load_note(&load, 5, time + ((int64_t)1 << 55)), 5);
    assert_int_equal(nw_host_load_note(&load, 1, time), 1);
}

static void test_a_thread_with_an_older_time_takes_nothing_back(void **state)
{
    (void)state;
    nw_host_load_t load = {0};
    int64_t time = 50 * WINDOW;
    assert_int_equal(nw_host_load_note(&load, 4, time), 4);
    assert_int_equal(nw_host_load_note(&load, 2, time + WINDOW), 4);
    assert_int_equal(nw_host_load_note(&load, 6, time + WINDOW - 1), 6);
    assert_int_equal(nw_host_load_note(&load, 1, time + WINDOW), 6);
}

static void test_large_numbers_are_cut(void **state)
{
    (void)state;
    nw_host_load_t load = {0};
    assert_int_equal(nw_host_load_note(&load, 1000000, WINDOW), UINT16_MAX);
    assert_int_equal(nw_host_load_note(&load, 1, WINDOW), UINT16_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_most_counts_for_two_windows),
        cmocka_unit_test(test_a_pause_forgets),
        cmocka_unit_test(test_a_thread_with_an_older_time_takes_nothing_back),
        cmocka_unit_test(test_large_numbers_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
