/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a construct waits for, and what it must not wait for. Works finish when the test says so. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/map_types.h"
#include "support/fake_device.h"
#include "support/harness.h"

enum { N = 16, BYTES = N * sizeof(int), TOFROM = NW_MAP_TO | NW_MAP_FROM, ALLOC = 0, RELEASE = 0 };

static fake_device_t fake;
static int x[N], y[N];

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    return 0;
}

static void add_1(const nw_launch_t *launch)
{
    int *data = (int *)launch->args[0];
    for (int i = 0; i < N; i++)
        data[i]++;
}

static nw_op_t *enter(void *begin, size_t size, uint64_t type)
{
    return submit_one(&fake, NW_DATA_BEGIN, begin, size, type, NULL);
}

static nw_op_t *leave(void *begin, size_t size, uint64_t type)
{
    return submit_one(&fake, NW_DATA_END, begin, size, type, NULL);
}

static nw_op_t *target(void *begin, size_t size, uint64_t type)
{
    return submit_one(&fake, NW_TARGET, begin, size, type, add_1);
}

static bool pending(const nw_op_t *op)
{
    return fake_is_pending(&fake, op);
}

static void finish(nw_op_t *op)
{
    fake_finish(&fake, op);
    op_free(op);
}

static void a_region_waits_for_the_transfer_of_what_it_finds(void **state)
{
    (void)state;
    nw_op_t *transfer = enter(x, BYTES, NW_MAP_TO), *first = target(x, BYTES, TOFROM);
    nw_op_t *second = target(x, sizeof(int), ALLOC);
    nw_op_t *other = target(y, BYTES, TOFROM);
    assert_true(pending(transfer) && pending(other));
    assert_false(pending(first) || pending(second));
    finish(transfer);
    assert_true(pending(first) && pending(second));
    finish(second);
    finish(first);
    finish(other);
    nw_op_t *third = target(x, BYTES, TOFROM);
    assert_true(pending(third));
    finish(third);
    finish(leave(x, BYTES, NW_MAP_FROM));
    assert_int_equal(x[2], 3);
}

static void a_region_waits_for_the_latest_transfer(void **state)
{
    (void)state;
    nw_op_t *first = enter(x, BYTES, NW_MAP_TO), *second = enter(x, BYTES, NW_MAP_TO | NW_MAP_ALWAYS);
    nw_op_t *region = target(x, BYTES, TOFROM);
    assert_false(pending(second) || pending(region));
    finish(first);
    assert_true(pending(second));
    assert_false(pending(region));
    finish(second);
    assert_true(pending(region));
    finish(region);
    run_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_DELETE, NULL);
}

static void regions_on_present_data_run_side_by_side(void **state)
{
    (void)state;
    finish(enter(x, BYTES, NW_MAP_TO));
    nw_op_t *first = target(x, BYTES, TOFROM), *second = target(x, BYTES, TOFROM);
    assert_true(pending(first) && pending(second));
    finish(second);
    finish(first);
    finish(leave(x, BYTES, NW_MAP_FROM));
    assert_int_equal(x[0], 2);
}

static void regions_that_only_read_the_same_data_run_side_by_side(void **state)
{
    (void)state;
    nw_op_t *first = target(x, BYTES, NW_MAP_TO), *second = target(x, BYTES, NW_MAP_TO);
    assert_true(pending(first) && pending(second));
    assert_int_equal(fake.blocks_live, 2);
    finish(first);
    assert_int_equal(fake.blocks_live, 1);
    finish(second);
}

/* A region's end is decided with its begin: the next region makes a fresh mapping, and must not read host memory that
 * the first has still to write. */
static void increments_of_the_same_data_all_count(void **state)
{
    (void)state;
    nw_op_t *ops[5];
    for (int i = 0; i < 5; i++)
        ops[i] = target(x, BYTES, TOFROM);
    for (int i = 0; i < 5; i++) {
        for (int k = i; k < 5; k++)
            assert_true(pending(ops[k]) == (k == i));
        finish(ops[i]);
    }
    assert_int_equal(x[7], 5);
}

static void data_that_is_ending_is_absent(void **state)
{
    (void)state;
    nw_op_t *op = target(x, BYTES, TOFROM);
    assert_null(fake_mapping(&fake, x));
    assert_int_equal(fake.blocks_live, 1);
    finish(op);
}

static void a_fresh_copy_waits_for_the_copy_out_before_it(void **state)
{
    (void)state;
    nw_op_t *from = target(x, BYTES, NW_MAP_FROM), *to = enter(x, BYTES, NW_MAP_TO), *region = target(x, BYTES, ALLOC);
    assert_true(pending(from));
    assert_false(pending(to) || pending(region));
    assert_int_equal(fake.blocks_live, 2);
    finish(from);
    assert_true(pending(to));
    assert_int_equal(fake.blocks_live, 1);
    finish(to);
    finish(region);
    run_one(&fake, NW_DATA_END, x, BYTES, RELEASE, NULL);
}

static void parts_that_overlap_an_ending_wait_and_neighbours_do_not(void **state)
{
    (void)state;
    nw_op_t *from = submit_one(&fake, NW_TARGET, x + 4, 4 * sizeof(int), NW_MAP_FROM, NULL);
    assert_true(pending(from));
    nw_op_t *below = enter(x, 4 * sizeof(int), NW_MAP_TO), *above = enter(x + 8, 4 * sizeof(int), NW_MAP_TO);
    assert_true(pending(below) && pending(above));
    nw_op_t *inside = enter(x + 5, sizeof(int), NW_MAP_TO);
    assert_false(pending(inside));
    finish(from);
    finish(inside);
    finish(below);
    finish(above);
    run_one(&fake, NW_DATA_END, x, 4 * sizeof(int), RELEASE, NULL);
    run_one(&fake, NW_DATA_END, x + 5, sizeof(int), RELEASE, NULL);
    run_one(&fake, NW_DATA_END, x + 8, 4 * sizeof(int), RELEASE, NULL);
}

static void mapping_without_a_copy_does_not_wait_for_an_ending(void **state)
{
    (void)state;
    nw_op_t *from = target(x, BYTES, NW_MAP_FROM), *alloc = target(x, BYTES, ALLOC);
    assert_true(pending(from) && pending(alloc));
    nw_op_t *plain = enter(x, BYTES, ALLOC);
    op_free(plain);
    finish(alloc);
    finish(from);
    run_one(&fake, NW_DATA_END, x, BYTES, RELEASE, NULL);
}

static void copies_out_of_the_same_bytes_keep_their_order(void **state)
{
    (void)state;
    nw_op_t *first = target(x, BYTES, NW_MAP_FROM), *second = target(x, BYTES, NW_MAP_FROM);
    assert_true(pending(first));
    assert_false(pending(second));
    finish(first);
    finish(second);
}

static void an_end_that_copies_waits_until_regions_are_over(void **state)
{
    (void)state;
    finish(enter(x, BYTES, NW_MAP_TO));
    nw_op_t *first = target(x, BYTES, TOFROM), *second = target(x, BYTES, TOFROM), *end = leave(x, BYTES, NW_MAP_FROM);
    assert_null(fake_mapping(&fake, x));
    assert_false(pending(end));
    finish(second);
    assert_false(pending(end));
    finish(first);
    assert_true(pending(end));
    finish(end);
    assert_int_equal(x[3], 2);
    assert_int_equal(fake.blocks_live, 0);
}

static void an_end_that_does_not_copy_is_over_at_once(void **state)
{
    (void)state;
    finish(enter(x, BYTES, NW_MAP_TO));
    nw_op_t *region = target(x, BYTES, TOFROM);
    op_free(leave(x, BYTES, RELEASE));
    assert_int_equal(fake.blocks_live, 1);
    /* The region still uses its memory; a fresh mapping gets its own. */
    nw_op_t *again = enter(x, BYTES, NW_MAP_TO);
    assert_true(pending(again));
    assert_int_equal(fake.blocks_live, 2);
    finish(region);
    assert_int_equal(fake.blocks_live, 1);
    finish(again);
    run_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_DELETE, NULL);
}

static void a_whole_life_in_flight_runs_in_order(void **state)
{
    (void)state;
    enum { LIVES = 4 };
    nw_op_t *ops[LIVES][4];
    for (int i = 0; i < LIVES; i++) {
        ops[i][0] = enter(x, BYTES, NW_MAP_TO);
        ops[i][1] = target(x, BYTES, TOFROM);
        ops[i][2] = target(x, BYTES, ALLOC);
        ops[i][3] = leave(x, BYTES, NW_MAP_FROM);
    }
    assert_int_equal(fake.n_pending, 1);
    fake_finish_all(&fake);
    for (int i = 0; i < LIVES; i++) {
        for (int k = 0; k < 4; k++)
            op_free(ops[i][k]);
    }
    assert_int_equal(x[9], 2 * LIVES);
}

static void an_update_waits_for_transfers_and_endings(void **state)
{
    (void)state;
    nw_op_t *transfer = enter(x, BYTES, NW_MAP_TO);
    nw_op_t *update = submit_one(&fake, NW_DATA_UPDATE, x, 4, NW_MAP_FROM, NULL);
    assert_false(pending(update));
    finish(transfer);
    finish(update);
    nw_op_t *end = leave(x, BYTES, NW_MAP_FROM);
    op_free(enter(x, BYTES, ALLOC));
    nw_op_t *in = submit_one(&fake, NW_DATA_UPDATE, x, 4, NW_MAP_TO, NULL);
    assert_true(pending(end));
    assert_false(pending(in));
    finish(end);
    finish(in);
    run_one(&fake, NW_DATA_END, x, BYTES, RELEASE, NULL);
}

static void several_endings_are_waited_for_at_once(void **state)
{
    (void)state;
    enum { PARTS = 16 };
    nw_op_t *parts[PARTS];
    for (int i = 0; i < PARTS; i++) {
        parts[i] = submit_one(&fake, NW_TARGET, x + i, sizeof(int), NW_MAP_FROM, NULL);
        assert_true(pending(parts[i]));
    }
    nw_op_t *whole = target(x, BYTES, TOFROM), *after = target(x, BYTES, TOFROM);
    for (int i = 0; i < PARTS; i++) {
        assert_false(pending(whole));
        finish(parts[i * 7 % PARTS]);
    }
    assert_true(pending(whole));
    assert_false(pending(after));
    finish(whole);
    finish(after);
}

static void *finish_everything(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    fake_finish_all(&fake);
    return NULL;
}

static void a_construct_without_nowait_waits_for_what_is_in_flight(void **state)
{
    (void)state;
    pthread_t thread;
    nw_op_t *transfer = enter(x, BYTES, NW_MAP_TO), *region = target(x, BYTES, TOFROM);
    construct_t c = {0};
    construct_map(&c, x, BYTES, NW_MAP_FROM);
    assert_int_equal(pthread_create(&thread, NULL, finish_everything, NULL), 0);
    construct_run_now(&fake, &c, NW_DATA_END, NULL);
    assert_int_equal(x[3], 1);
    pthread_join(thread, NULL);
    op_free(transfer);
    op_free(region);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(a_region_waits_for_the_transfer_of_what_it_finds),
        TEST(a_region_waits_for_the_latest_transfer),
        TEST(regions_on_present_data_run_side_by_side),
        TEST(regions_that_only_read_the_same_data_run_side_by_side),
        TEST(increments_of_the_same_data_all_count),
        TEST(data_that_is_ending_is_absent),
        TEST(a_fresh_copy_waits_for_the_copy_out_before_it),
        TEST(parts_that_overlap_an_ending_wait_and_neighbours_do_not),
        TEST(mapping_without_a_copy_does_not_wait_for_an_ending),
        TEST(copies_out_of_the_same_bytes_keep_their_order),
        TEST(an_end_that_copies_waits_until_regions_are_over),
        TEST(an_end_that_does_not_copy_is_over_at_once),
        TEST(a_whole_life_in_flight_runs_in_order),
        TEST(an_update_waits_for_transfers_and_endings),
        TEST(several_endings_are_waited_for_at_once),
        TEST(a_construct_without_nowait_waits_for_what_is_in_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
