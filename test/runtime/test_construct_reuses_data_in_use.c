/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Constructs that map `to` what regions in flight have on the device (core/reuse.h): one copy, one piece of memory,
 * what is copied back is right; and where the host's bytes may be others than the device's, or waiting for the device's
 * would take longer, each has its own. Random programs: test_construct_matches_a_model.
 */
#include <string.h>

#include "core/map_types.h"
#include "support/fake_device.h"
#include "support/harness.h"
#include "support/settings.h"

enum { N = 16, BYTES = N * sizeof(int), TO = NW_MAP_TO, FROM = NW_MAP_FROM, TOFROM = TO | FROM, REGIONS = 8 };

static fake_device_t fake;
static int x[N];

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    nw_settings.reuse = BYTES;
    for (int i = 0; i < N; i++)
        x[i] = i;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    return 0;
}

static void nothing(const nw_launch_t *launch)
{
    (void)launch;
}

static void add_one(const nw_launch_t *launch)
{
    int *data = (int *)launch->args[0];
    for (int i = 0; i < N; i++)
        data[i]++;
}

/* What the last region saw. */
static int seen[N];

static void look(const nw_launch_t *launch)
{
    memcpy(seen, (const int *)launch->args[0], BYTES);
}

static nw_op_t *region(uint64_t type, void (*body)(const nw_launch_t *))
{
    return submit_one(&fake, NW_TARGET, x, BYTES, type, body);
}

static void finish(nw_op_t *op)
{
    fake_finish(&fake, op);
    op_free(op);
}

static void expect_seen(int first)
{
    for (int i = 0; i < N; i++)
        assert_int_equal(seen[i], first + i);
}

static void regions_that_read_share_one_copy(void **state)
{
    (void)state;
    nw_op_t *ops[REGIONS];
    for (int i = 0; i < REGIONS; i++)
        ops[i] = region(TO, look);
    assert_int_equal(fake.blocks_live, 1);
    /* They wait for the data, not for the region that brings it. */
    assert_int_equal(fake.n_pending, 1);
    fake_bring(&fake, ops[0]);
    assert_int_equal(fake.n_pending, REGIONS);
    for (int i = REGIONS; i-- > 1;) {
        finish(ops[i]);
        expect_seen(0);
        assert_int_equal(fake.blocks_live, 1);
    }
    finish(ops[0]);
    assert_int_equal(fake.copied_in, BYTES);
    assert_int_equal(fake.copied_out, 0);
    assert_int_equal(fake.blocks_live, 0);
}

/* One copy lives on as long as some region has mapped it while another was there to say what it is. */
static void copy_outlives_the_region_that_brought_it(void **state)
{
    (void)state;
    nw_op_t *a = region(TO, nothing), *b = region(TO, nothing);
    finish(a);
    for (int i = 0; i < 5; i++) {
        nw_op_t *c = region(TO, look);
        finish(b);
        b = c;
    }
    finish(b);
    assert_int_equal(fake.copied_in, BYTES);
    expect_seen(0);
    /* And no longer: now the host may write. */
    x[0] = 100;
    finish(region(TO, look));
    assert_int_equal(seen[0], 100);
}

static void regions_that_write_follow_each_other_on_one_copy(void **state)
{
    (void)state;
    nw_op_t *ops[REGIONS];
    for (int i = 0; i < REGIONS; i++)
        ops[i] = region(TOFROM, add_one);
    assert_int_equal(fake.blocks_live, 1);
    assert_int_equal(fake.n_pending, 1);
    for (int i = 0; i < REGIONS; i++) {
        finish(ops[i]);
        assert_int_equal(x[3], 3 + i + 1);
    }
    assert_int_equal(fake.copied_in, BYTES);
    assert_int_equal(fake_count_ending(&fake), 0);
}

/* A reader comes between two writers, and is over after the second has been decided. */
static void reader_between_writers_sees_what_the_first_made(void **state)
{
    (void)state;
    nw_op_t *first = region(TOFROM, add_one), *reader = region(TO, look), *second = region(TOFROM, add_one);
    nw_op_t *last = region(TO, look);
    assert_int_equal(fake.n_pending, 1);
    finish(first);
    finish(reader);
    expect_seen(1);
    /* The second copies its own: what it writes back must not wait for readers. */
    finish(second);
    finish(last);
    expect_seen(2);
    assert_int_equal(x[0], 2);
    assert_int_equal(fake.blocks_live, 0);
}

/* Entered while a region has it, used, and taken out with what was computed, in both orders of the ends. */
static void data_that_is_entered_meanwhile_stays(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        nw_op_t *reader = region(TO, nothing);
        nw_op_t *enter = submit_one(&fake, NW_DATA_BEGIN, x, BYTES, TO, NULL);
        nw_op_t *user = region(TOFROM, add_one);
        assert_int_equal(fake.blocks_live, 1);
        fake_bring(&fake, reader);
        op_free(enter);
        if (order == 0)
            finish(reader);
        finish(user);
        nw_op_t *leave = submit_one(&fake, NW_DATA_END, x, BYTES, FROM, NULL);
        if (order == 1)
            finish(reader);
        finish(leave);
        assert_int_equal(x[5], 5 + order + 1);
        assert_int_equal(fake.blocks_live, 0);
    }
    assert_int_equal(fake.copied_in, 2 * BYTES);
}

/* The region still uses the data, but it came before: the program may write to the host's bytes. */
static void present_data_is_not_taken_for_the_hosts(void **state)
{
    (void)state;
    run_one(&fake, NW_DATA_BEGIN, x, BYTES, TO, NULL);
    nw_op_t *user = region(TO, nothing);
    op_free(submit_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_DELETE, NULL));
    for (int i = 0; i < N; i++)
        x[i] = 50 + i;
    nw_op_t *fresh = region(TO, look);
    assert_int_equal(fake.blocks_live, 2);
    finish(fresh);
    expect_seen(50);
    finish(user);
}

static void set_77(const nw_launch_t *launch)
{
    ((int *)launch->args[0])[1] = 77;
}

/* A part of the array is mapped by itself and written back while readers have the whole: the next reader sees that. */
static void writing_back_a_part_makes_it_stale(void **state)
{
    (void)state;
    nw_op_t *reader = region(TO, nothing);
    nw_op_t *part = submit_one(&fake, NW_TARGET, x, 4 * sizeof *x, TOFROM, set_77);
    nw_op_t *next = region(TO, look);
    assert_int_equal(fake.blocks_live, 3);
    fake_finish_all(&fake);
    assert_int_equal(seen[1], 77);
    op_free(reader);
    op_free(part);
    op_free(next);
}

/* An end that writes only a part back: what the device has made of the rest is not the host's. */
static void end_that_writes_a_part_leaves_no_copy_to_share(void **state)
{
    (void)state;
    nw_op_t *enter = submit_one(&fake, NW_DATA_BEGIN, x, BYTES, TO, NULL);
    nw_op_t *user = region(0, add_one);
    nw_op_t *leave = submit_one(&fake, NW_DATA_END, x, 4 * sizeof *x, FROM, NULL);
    nw_op_t *next = region(TO, look);
    fake_finish_all(&fake);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[5], 5);
    op_free(enter);
    op_free(user);
    op_free(leave);
    op_free(next);
}

/* A kernel whose copy in can't be told from its end makes nobody wait. */
static void data_that_comes_late_is_copied_again(void **state)
{
    (void)state;
    nw_op_t *first = region(TO, nothing);
    atomic_store(&first->work.data_comes_late, true);
    nw_op_t *second = region(TO, nothing);
    assert_int_equal(fake.n_pending, 2);
    assert_int_equal(fake.blocks_live, 2);
    finish(second);
    finish(first);
}

static void other_ranges_and_small_data_have_their_own(void **state)
{
    (void)state;
    nw_op_t *whole = region(TO, nothing), *part = submit_one(&fake, NW_TARGET, x, BYTES / 2, TO, nothing);
    assert_int_equal(fake.blocks_live, 2);
    nw_op_t *again = submit_one(&fake, NW_TARGET, x, BYTES / 2, TO, nothing);
    assert_int_equal(fake.blocks_live, 3);
    nw_settings.reuse = 0;
    nw_op_t *off = region(TO, nothing);
    assert_int_equal(fake.blocks_live, 4);
    fake_finish_all(&fake);
    op_free(whole);
    op_free(part);
    op_free(again);
    op_free(off);
}

/* The data of a pointer in a structure: the pointers of both structures lead to the one copy. */
static void data_behind_pointers_is_shared(void **state)
{
    (void)state;
    struct holder {
        int *data;
        long other;
    } holder = {x, 1};
    nw_op_t *ops[3];
    for (int i = 0; i < 3; i++) {
        construct_t c = {0};
        construct_add(&c, &holder, &holder, sizeof holder, NW_MAP_TARGET_PARAM);
        construct_add(&c, &holder.data, x, BYTES, NW_MAP_PTR_AND_OBJ | TO | MEMBER_OF(0));
        ops[i] = construct_submit(&fake, &c, NW_TARGET, nothing);
    }
    assert_int_equal(fake.blocks_live, 4);
    fake_finish_all(&fake);
    for (int i = 0; i < 3; i++)
        op_free(ops[i]);
    assert_int_equal(fake.copied_in, BYTES + 3 * sizeof(void *));
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(regions_that_read_share_one_copy),
        TEST(copy_outlives_the_region_that_brought_it),
        TEST(regions_that_write_follow_each_other_on_one_copy),
        TEST(reader_between_writers_sees_what_the_first_made),
        TEST(data_that_is_entered_meanwhile_stays),
        TEST(present_data_is_not_taken_for_the_hosts),
        TEST(writing_back_a_part_makes_it_stale),
        TEST(end_that_writes_a_part_leaves_no_copy_to_share),
        TEST(data_that_comes_late_is_copied_again),
        TEST(other_ranges_and_small_data_have_their_own),
        TEST(data_behind_pointers_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
