/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attached pointers of a mapping: they are recorded once a place, and runs of bytes to copy leave them out. */
#include <stdlib.h>
#include <string.h>

#include "support/fake_device.h"
#include "support/harness.h"

enum { BYTES = 256 };

static fake_device_t fake;
static nw_mapping_t *mapping;
static _Alignas(64) char arena[BYTES];

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    return nw_map_table_insert(&fake.core.map, arena, BYTES, NULL, &mapping) == NW_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    nw_map_table_remove(&fake.core.map, mapping, false);
    nw_map_table_discard(&fake.core.map, mapping);
    fake_device_destroy(&fake);
    return 0;
}

static bool attach(size_t offset, uintptr_t value)
{
    nw_status_t status = NW_ERR_INVALID;
    bool write = nw_mapping_attach(mapping, offset, 8, value, &status);
    assert_int_equal(status, NW_OK);
    return write;
}

/* Checks that the runs of [begin, end) are exactly the bytes that are set in `expected`. */
static void check_runs(size_t begin, size_t end, const char expected[BYTES])
{
    char covered[BYTES] = {0};
    size_t offset = begin, length, last = begin;
    while (nw_mapping_next_run(&fake.core.map, mapping, &offset, end, &length)) {
        assert_true(length > 0);
        assert_true(offset >= last && offset + length <= end);
        memset(covered + offset, 1, length);
        offset += length;
        last = offset;
    }
    for (size_t i = 0; i < BYTES; i++)
        assert_int_equal(covered[i], i >= begin && i < end && expected[i]);
}

static void without_attached_pointers_there_is_one_run(void **state)
{
    (void)state;
    size_t offset = 10, length;
    assert_true(nw_mapping_next_run(&fake.core.map, mapping, &offset, 50, &length));
    assert_int_equal(offset, 10);
    assert_int_equal(length, 40);
    offset = 50;
    assert_false(nw_mapping_next_run(&fake.core.map, mapping, &offset, 50, &length));
    offset = 51;
    assert_false(nw_mapping_next_run(&fake.core.map, mapping, &offset, 50, &length));
}

static void a_pointer_is_written_when_it_is_new_or_has_another_value(void **state)
{
    (void)state;
    assert_true(attach(16, 1));
    assert_false(attach(16, 1));
    assert_true(attach(16, 2));
    assert_true(attach(8, 2));
    assert_false(attach(16, 2));
    assert_int_equal(mapping->n_attached, 2);
}

static void pointers_are_kept_in_order(void **state)
{
    (void)state;
    static const size_t offsets[] = {96, 8, 200, 0, 16, 104, 48, 248, 120, 56};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++)
        assert_true(attach(offsets[i], i));
    assert_int_equal(mapping->n_attached, sizeof offsets / sizeof offsets[0]);
    for (uint32_t i = 1; i < mapping->n_attached; i++)
        assert_true(mapping->attached[i - 1].offset < mapping->attached[i].offset);
}

static void runs_leave_attached_pointers_out(void **state)
{
    (void)state;
    uint64_t random = 5;
    char expected[BYTES];
    memset(expected, 1, sizeof expected);
    for (int n = 0; n < 24; n++) {
        size_t offset = 8 * (size_t)random_below(&random, BYTES / 8);
        attach(offset, 7);
        memset(expected + offset, 0, 8);
        for (int i = 0; i < 200; i++) {
            size_t begin = random_below(&random, BYTES), end = begin + random_below(&random, BYTES - (uint32_t)begin);
            check_runs(begin, end, expected);
        }
        check_runs(0, BYTES, expected);
        check_runs(offset, offset + 8, expected);
        check_runs(offset + 3, offset + 8, expected);
    }
}

static void a_reused_structure_has_none(void **state)
{
    (void)state;
    attach(0, 1);
    nw_map_table_remove(&fake.core.map, mapping, false);
    nw_map_table_discard(&fake.core.map, mapping);
    assert_int_equal(nw_map_table_insert(&fake.core.map, arena, BYTES, NULL, &mapping), NW_OK);
    assert_int_equal(mapping->n_attached, 0);
    /* Fewer than before, then more: the array is kept from the structure's last life. */
    for (size_t i = 0; i < BYTES / 8; i++)
        assert_true(attach(8 * i, i));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(without_attached_pointers_there_is_one_run),
        TEST(a_pointer_is_written_when_it_is_new_or_has_another_value),
        TEST(pointers_are_kept_in_order),
        TEST(runs_leave_attached_pointers_out),
        TEST(a_reused_structure_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
