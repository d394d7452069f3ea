/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The mapping table: lookup, insertion, removal, endings and idle users; by example, and by random operations against
 * an array that holds the same mappings. */
#include <stdlib.h>
#include <string.h>

#include "support/fake_device.h"
#include "support/harness.h"

static fake_device_t fake;
#define TABLE (&fake.core.map)

static _Alignas(64) char arena[4096];

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    return 0;
}

static nw_mapping_t *insert(char *host, size_t size)
{
    nw_mapping_t *mapping = NULL;
    assert_int_equal(nw_map_table_insert(TABLE, host, size, NULL, &mapping), NW_OK);
    return mapping;
}

static void drop(nw_mapping_t *mapping)
{
    nw_map_table_remove(TABLE, mapping, false);
    nw_map_table_discard(TABLE, mapping);
}

static void check(char *host, size_t size, nw_presence_t presence, nw_mapping_t *mapping)
{
    nw_mapping_t *found = NULL;
    assert_int_equal(nw_map_table_lookup(TABLE, host, size, &found), presence);
    assert_ptr_equal(found, mapping);
}

static void lookup_tells_present_partial_and_absent_apart(void **state)
{
    (void)state;
    check(arena, 10, NW_ABSENT, NULL);
    nw_mapping_t *a = insert(arena + 100, 50), *b = insert(arena + 200, 50);
    check(arena + 100, 50, NW_PRESENT, a);
    check(arena + 100, 1, NW_PRESENT, a);
    check(arena + 149, 1, NW_PRESENT, a);
    check(arena + 120, 10, NW_PRESENT, a);
    check(arena + 120, 31, NW_PARTIAL, a);
    check(arena + 90, 11, NW_PARTIAL, a);
    check(arena + 90, 200, NW_PARTIAL, a);
    check(arena + 140, 100, NW_PARTIAL, a);
    check(arena + 160, 41, NW_PARTIAL, b);
    check(arena + 90, 10, NW_ABSENT, NULL);
    check(arena + 150, 50, NW_ABSENT, NULL);
    check(arena + 250, 1000, NW_ABSENT, NULL);
    drop(a);
    check(arena + 100, 50, NW_ABSENT, NULL);
    check(arena + 100, 101, NW_PARTIAL, b);
    drop(b);
}

static void an_empty_range_is_present_inside_a_mapping_only(void **state)
{
    (void)state;
    nw_mapping_t *a = insert(arena + 100, 50);
    check(arena + 100, 0, NW_PRESENT, a);
    check(arena + 149, 0, NW_PRESENT, a);
    check(arena + 150, 0, NW_ABSENT, NULL);
    check(arena + 99, 0, NW_ABSENT, NULL);
    drop(a);
}

static void mappings_that_touch_stay_apart(void **state)
{
    (void)state;
    nw_mapping_t *a = insert(arena + 64, 16), *b = insert(arena + 80, 16);
    check(arena + 79, 1, NW_PRESENT, a);
    check(arena + 80, 1, NW_PRESENT, b);
    check(arena + 79, 2, NW_PARTIAL, a);
    drop(a);
    check(arena + 80, 16, NW_PRESENT, b);
    drop(b);
}

static void device_addresses_keep_the_hosts_low_six_bits(void **state)
{
    (void)state;
    for (size_t offset = 0; offset < 130; offset++) {
        nw_mapping_t *mapping = insert(arena + offset, 7);
        assert_int_equal((uintptr_t)mapping->device % 64, (uintptr_t)mapping->host % 64);
        assert_true(mapping->device >= (char *)mapping->block);
        assert_true(mapping->device + 7 <= (char *)mapping->block + mapping->block_size);
        drop(mapping);
    }
}

static void fresh_mappings_have_no_history(void **state)
{
    (void)state;
    nw_status_t status;
    for (int i = 0; i < 3; i++) {
        TABLE->first.construct = 40 + (uint64_t)i;
        nw_mapping_t *mapping = insert(arena, 64);
        assert_true(mapping->live);
        assert_int_equal(mapping->born, 40 + i);
        assert_int_equal(mapping->dynamic_count, 0);
        assert_int_equal(mapping->hold_count, 0);
        assert_int_equal(mapping->users, 0);
        assert_int_equal(mapping->n_attached, 0);
        assert_null(mapping->transfer);
        assert_null(mapping->ender);
        /* What the next one must not inherit from the structure that it reuses: */
        mapping->dynamic_count = 9;
        mapping->hold_count = 9;
        mapping->copied_out = 9;
        assert_true(nw_mapping_attach(mapping, 8, 8, 1, &status));
        drop(mapping);
    }
}

static void associated_memory_is_not_freed(void **state)
{
    (void)state;
    static char device_memory[64];
    nw_mapping_t *mapping;
    assert_int_equal(nw_map_table_associate(TABLE, arena, 64, device_memory, "global", &mapping), NW_OK);
    assert_ptr_equal(mapping->device, device_memory);
    assert_true(mapping->dynamic_count == NW_FOREVER);
    assert_true(mapping->is_global);
    check(arena + 10, 4, NW_PRESENT, mapping);
    drop(mapping);
}

static void insertion_without_device_memory_leaves_no_trace(void **state)
{
    (void)state;
    nw_mapping_t *mapping = NULL;
    fake.allocations_left = 0;
    assert_int_equal(nw_map_table_insert(TABLE, arena, 64, NULL, &mapping), NW_ERR_DEVICE_MEMORY);
    assert_null(mapping);
    check(arena, 64, NW_ABSENT, NULL);
    fake.allocations_left = SIZE_MAX;
    drop(insert(arena, 64));
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    nw_mapping_t *mapping = NULL;
    assert_int_equal(nw_map_table_insert(TABLE, arena + 1, SIZE_MAX, NULL, &mapping), NW_ERR_INVALID);
    check(arena, 4096, NW_ABSENT, NULL);
}

static void removed_mappings_free_their_memory_with_the_last_user(void **state)
{
    (void)state;
    nw_mapping_t *mapping = insert(arena, 64);
    mapping->users = 3;
    assert_null(nw_map_table_unuse(TABLE, mapping));
    nw_map_table_remove(TABLE, mapping, false);
    assert_int_equal(fake_count_ending(&fake), 0);
    assert_int_equal(fake.blocks_live, 1);
    assert_null(nw_map_table_unuse(TABLE, mapping));
    assert_int_equal(fake.blocks_live, 1);
    assert_null(nw_map_table_unuse(TABLE, mapping));
    assert_int_equal(fake.blocks_live, 0);
}

static void live_mappings_stay_without_users(void **state)
{
    (void)state;
    nw_mapping_t *mapping = insert(arena, 64);
    mapping->users = 1;
    assert_null(nw_map_table_unuse(TABLE, mapping));
    check(arena, 64, NW_PRESENT, mapping);
    drop(mapping);
}

static void the_ender_is_told_once_when_it_is_the_only_user(void **state)
{
    (void)state;
    nw_op_t *ender = (nw_op_t *)arena;
    nw_mapping_t *mapping = insert(arena, 64);
    mapping->users = 5; /* three of others, two of the ender */
    nw_map_table_remove(TABLE, mapping, true);
    mapping->ender = ender;
    mapping->ender_users = 2;
    mapping->ender_waits = true;
    assert_int_equal(fake_count_ending(&fake), 1);
    assert_null(nw_map_table_unuse(TABLE, mapping));
    assert_null(nw_map_table_unuse(TABLE, mapping));
    assert_ptr_equal(nw_map_table_unuse(TABLE, mapping), mapping);
    assert_null(nw_map_table_unuse(TABLE, mapping));
    assert_null(nw_map_table_unuse(TABLE, mapping));
    assert_int_equal(fake.blocks_live, 0);
    assert_int_equal(fake_count_ending(&fake), 0);
}

/* Removes a mapping that will write to the host. */
static nw_mapping_t *ending(char *host, size_t size)
{
    nw_mapping_t *mapping = insert(host, size);
    nw_map_table_remove(TABLE, mapping, true);
    return mapping;
}

static size_t overlaps(char *host, size_t size)
{
    size_t n = 0;
    for (nw_mapping_t *m = nw_map_table_next_ending(TABLE, host, size, NULL); m;
         m = nw_map_table_next_ending(TABLE, host, size, m))
        n++;
    return n;
}

static void endings_are_found_by_any_byte_that_they_cover(void **state)
{
    (void)state;
    nw_mapping_t *large = ending(arena, 1000), *a = ending(arena + 100, 50), *b = ending(arena + 200, 50);
    nw_mapping_t *a_again = ending(arena + 100, 50);
    assert_int_equal(overlaps(arena + 100, 50), 3);
    assert_int_equal(overlaps(arena + 149, 1), 3);
    assert_int_equal(overlaps(arena + 150, 50), 1);
    assert_int_equal(overlaps(arena + 150, 51), 2);
    assert_int_equal(overlaps(arena + 999, 1), 1);
    assert_int_equal(overlaps(arena + 1000, 100), 0);
    assert_int_equal(overlaps(arena, 4096), 4);
    nw_map_table_end(TABLE, a);
    assert_int_equal(overlaps(arena + 100, 50), 2);
    nw_map_table_end(TABLE, a);
    nw_map_table_discard(TABLE, large);
    nw_map_table_discard(TABLE, a);
    nw_map_table_discard(TABLE, a_again);
    assert_int_equal(overlaps(arena, 4096), 1);
    nw_map_table_discard(TABLE, b);
    assert_int_equal(overlaps(arena, 4096), 0);
}

static void an_ending_does_not_hide_a_fresh_mapping(void **state)
{
    (void)state;
    nw_mapping_t *old = ending(arena, 64), *fresh = insert(arena, 64);
    check(arena, 64, NW_PRESENT, fresh);
    assert_ptr_not_equal(old->device, fresh->device);
    assert_int_equal(overlaps(arena, 64), 1);
    nw_map_table_discard(TABLE, old);
    check(arena, 64, NW_PRESENT, fresh);
    drop(fresh);
}

/* The model: a list of mappings without order. */
enum { MODEL = 64, BYTES = 256 };
static struct model {
    nw_mapping_t *mapping;
    char *begin, *end;
    bool ends;
} model[MODEL];
static size_t n_model;

static void compare_lookup(char *host, size_t size)
{
    nw_mapping_t *found = NULL, *expected = NULL;
    nw_presence_t presence = NW_ABSENT;
    for (size_t i = 0; i < n_model; i++) {
        const struct model *m = &model[i];
        bool empty_inside = size == 0 && m->begin <= host && host < m->end;
        if (m->ends || !(empty_inside || (m->begin < host + size && host < m->end)))
            continue;
        if (m->begin <= host && host + size <= m->end) {
            presence = NW_PRESENT;
            expected = m->mapping;
        } else if (presence != NW_PRESENT) {
            presence = NW_PARTIAL;
        }
    }
    assert_int_equal(nw_map_table_lookup(TABLE, host, size, &found), presence);
    if (presence == NW_PRESENT)
        assert_ptr_equal(found, expected);
    if (presence == NW_PARTIAL)
        assert_true(found && found->live && found->host < host + size && host < found->host_end);
}

static void compare_endings(char *host, size_t size)
{
    size_t expected = 0, n = 0;
    for (size_t i = 0; i < n_model; i++)
        expected += model[i].ends && model[i].begin < host + size && host < model[i].end;
    for (nw_mapping_t *m = nw_map_table_next_ending(TABLE, host, size, NULL); m;
         m = nw_map_table_next_ending(TABLE, host, size, m)) {
        assert_true(m->host < host + size && host < m->host_end);
        n++;
    }
    assert_int_equal(n, expected);
}

static void random_operations_agree_with_a_list(void **state)
{
    (void)state;
    uint64_t random = 2024;
    n_model = 0;
    for (int step = 0; step < 60000; step++) {
        char *host = arena + random_below(&random, BYTES);
        size_t size = random_below(&random, random_below(&random, 8) ? 24 : BYTES);
        nw_mapping_t *found = NULL;
        if (random_below(&random, 2) && n_model < MODEL) {
            if (size > 0 && nw_map_table_lookup(TABLE, host, size, &found) == NW_ABSENT)
                model[n_model++] = (struct model){insert(host, size), host, host + size, false};
        } else if (n_model > 0) {
            struct model *m = &model[random_below(&random, (uint32_t)n_model)];
            if (!m->ends && random_below(&random, 2)) {
                nw_map_table_remove(TABLE, m->mapping, true);
                m->ends = true;
            } else {
                if (!m->ends)
                    nw_map_table_remove(TABLE, m->mapping, false);
                nw_map_table_discard(TABLE, m->mapping);
                *m = model[--n_model];
            }
        }
        compare_lookup(arena + random_below(&random, BYTES), random_below(&random, 40));
        compare_endings(arena + random_below(&random, BYTES), 1 + random_below(&random, 40));
    }
    while (n_model > 0) {
        struct model *m = &model[--n_model];
        if (!m->ends)
            nw_map_table_remove(TABLE, m->mapping, false);
        nw_map_table_discard(TABLE, m->mapping);
    }
}

static void counts_are_put_into_words(void **state)
{
    (void)state;
    char buffer[24];
    assert_string_equal(nw_count_text(0, buffer), "0");
    assert_string_equal(nw_count_text(UINT64_MAX - 1, buffer), "18446744073709551614");
    assert_string_equal(nw_count_text(NW_FOREVER, buffer), "INF");
}

static void the_dump_lists_live_mappings(void **state)
{
    (void)state;
    nw_mapping_t *mapping, *old = ending(arena + 500, 3);
    assert_int_equal(nw_map_table_insert(TABLE, arena, 77, ";x[0:77];a.c;4;9;;", &mapping), NW_OK);
    mapping->dynamic_count = 2;
    capture_begin();
    nw_map_table_dump(TABLE, &test_place, 3, stderr);
    const char *text = capture_end();
    assert_int_equal(count_lines(text), 3);
    assert_non_null(strstr(text, "device 3 info: OpenMP Host-Device pointer mappings after block at test.c:12:3:\n"));
    assert_non_null(strstr(text, " 77       2           0            x[0:77] at a.c:4:9\n"));
    drop(mapping);
    nw_map_table_discard(TABLE, old);
    capture_begin();
    nw_map_table_dump(TABLE, NULL, 3, stderr);
    assert_string_equal(capture_end(), "omptarget device 3 info: OpenMP Host-Device pointer mappings table empty\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(lookup_tells_present_partial_and_absent_apart),
        TEST(an_empty_range_is_present_inside_a_mapping_only),
        TEST(mappings_that_touch_stay_apart),
        TEST(device_addresses_keep_the_hosts_low_six_bits),
        TEST(fresh_mappings_have_no_history),
        TEST(associated_memory_is_not_freed),
        TEST(insertion_without_device_memory_leaves_no_trace),
        TEST(sizes_that_overflow_are_refused),
        TEST(removed_mappings_free_their_memory_with_the_last_user),
        TEST(live_mappings_stay_without_users),
        TEST(the_ender_is_told_once_when_it_is_the_only_user),
        TEST(endings_are_found_by_any_byte_that_they_cover),
        TEST(an_ending_does_not_hide_a_fresh_mapping),
        TEST(random_operations_agree_with_a_list),
        TEST(counts_are_put_into_words),
        TEST(the_dump_lists_live_mappings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
