/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections that do not lie together: reading their descriptions, and updates that move their bytes and no others
 * (llvm/llvm-project issue 61452, PRs 144635, 156889 and 157443). */
#include <stdlib.h>
#include <string.h>

#include "core/map_types.h"
#include "core/section.h"
#include "nowait/abi.h"
#include "support/fake_device.h"
#include "support/harness.h"

enum { ROWS = 8, COLUMNS = 10, BYTES = ROWS * COLUMNS * (int)sizeof(int), ROW = COLUMNS * (int)sizeof(int) };

#define STRIDED NW_MAP_NON_CONTIGUOUS

typedef uint64_t record_t[3];

static fake_device_t fake;
static int all[ROWS * COLUMNS];
#define x ((int(*)[COLUMNS])all)

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        all[i] = i;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    return 0;
}

static void add_1000(const nw_launch_t *launch)
{
    int *data = (int *)launch->args[0];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i] += 1000;
}

/* Maps x and changes every element of the device's copy. */
static void enter_changed(void)
{
    run_one(&fake, NW_DATA_BEGIN, x, BYTES, NW_MAP_TO, NULL);
    run_one(&fake, NW_TARGET, x, BYTES, 0, add_1000);
    fake.copied_in = fake.copied_out = 0;
}

static void leave(void)
{
    run_one(&fake, NW_DATA_END, x, BYTES, 0, NULL);
}

static void update(const record_t *description, int64_t size, uint64_t type)
{
    construct_t c = {0};
    construct_add(&c, x, (void *)(uintptr_t)description, (size_t)size, type | STRIDED);
    run_construct(&fake, &c, NW_DATA_UPDATE, NULL);
}

/* Checks that exactly x[r0 + i * rs][c0 + j * cs], i < rn, j < cn, have come from the device. */
static void check_updated(int r0, int rn, int rs, int c0, int cn, int cs)
{
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) {
            bool row = r >= r0 && (r - r0) % rs == 0 && (r - r0) / rs < rn;
            bool column = c >= c0 && (c - c0) % cs == 0 && (c - c0) / cs < cn;
            assert_int_equal(x[r][c], r * COLUMNS + c + (row && column ? 1000 : 0));
        }
    }
    assert_int_equal(fake.copied_out, rn * cn * (int)sizeof(int));
    leave();
}

static void every_second_row(void **state)
{
    (void)state;
    const record_t a[] = {{0, 4, 2 * ROW}, {0, 3, 4}, {0, 1, 4}};
    enter_changed();
    update(a, 3, NW_MAP_FROM);
    check_updated(0, 4, 2, 0, 3, 1);
}

static void whole_rows_are_one_run_each(void **state)
{
    (void)state;
    const record_t a[] = {{0, 3, 3 * ROW}, {0, COLUMNS, 4}, {0, 1, 4}};
    nw_section_t section;
    char *begin;
    assert_int_equal(nw_section_read(a, 3, (char *)x, &section, &begin), NW_OK);
    assert_ptr_equal(begin, x);
    assert_int_equal(section.n_dimensions, 1);
    assert_int_equal(section.run, ROW);
    assert_int_equal(section.n_runs, 3);
    assert_int_equal(section.extent, 7 * ROW);
    enter_changed();
    update(a, 3, NW_MAP_FROM);
    check_updated(0, 3, 3, 0, COLUMNS, 1);
}

static void what_lies_together_after_all_is_one_run(void **state)
{
    (void)state;
    const record_t a[] = {{2, 3, ROW}, {0, COLUMNS, 4}, {0, 1, 4}};
    enter_changed();
    update(a, 3, NW_MAP_FROM);
    check_updated(2, 3, 1, 0, COLUMNS, 1);
}

/* The innermost dimension's offset counts elements, not steps. */
static void a_strided_line_with_an_offset(void **state)
{
    (void)state;
    const record_t a[] = {{3, 2, 12}, {0, 1, 4}};
    enter_changed();
    update(a, 2, NW_MAP_FROM);
    check_updated(0, 1, 1, 3, 2, 3);
}

static void a_block_with_offsets(void **state)
{
    (void)state;
    const record_t a[] = {{1, 3, ROW}, {2, 4, 4}, {0, 1, 4}};
    enter_changed();
    update(a, 3, NW_MAP_FROM);
    check_updated(1, 3, 1, 2, 4, 1);
}

/* The plugin says where the section begins; offsets mean nothing then. */
static void a_placed_section_begins_where_it_says(void **state)
{
    (void)state;
    const record_t a[] = {
        {1, 3, 2 * ROW}, {1, 4, 8}, {(uint64_t)(uintptr_t)&x[1][1], sizeof(int), NOWAIT_SECTION_PLACED}};
    enter_changed();
    update(a, 77, NW_MAP_FROM);
    check_updated(1, 3, 2, 1, 4, 2);
}

static void three_dimensions(void **state)
{
    (void)state;
    /* x as [4][2][10]: [0:2:2][0:2][1:3:2], x rows 0, 1, 4, 5. */
    const record_t a[] = {{0, 2, 4 * ROW}, {0, 2, ROW}, {1, 3, 8}, {0, 1, 4}};
    enter_changed();
    update(a, 4, NW_MAP_FROM);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            assert_int_equal(x[r][c], r * COLUMNS + c + (r % 4 < 2 && c % 2 == 1 && c < 6 ? 1000 : 0));
    leave();
}

static void to_the_device(void **state)
{
    (void)state;
    const record_t a[] = {{0, 4, 2 * ROW}, {0, 2, 4}, {0, 1, 4}};
    run_one(&fake, NW_DATA_BEGIN, x, BYTES, NW_MAP_TO, NULL);
    fake.copied_in = 0;
    int(*device)[COLUMNS] = (int(*)[COLUMNS])fake_mapping(&fake, x)->device;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        all[i] = -1;
    update(a, 3, NW_MAP_TO);
    assert_int_equal(fake.copied_in, 8 * sizeof(int));
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            assert_int_equal(device[r][c], r % 2 == 0 && c < 2 ? -1 : r * COLUMNS + c);
    leave();
}

/* clang passes bytes for the number of records when a length is known only at run time. */
static void records_are_counted_when_the_size_is_in_bytes(void **state)
{
    (void)state;
    struct {
        record_t a[3];
        record_t behind[2];
    } rows = {{{0, 4, 2 * ROW}, {0, 3, 4}, {0, 1, 4}}, {{0, 7, 160}, {0, 1, 4}}},
      line = {{{2, 3, 12}, {0, 1, 4}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}},
      zeroes = {{{0, 1, 2 * ROW}, {0, 2, 4}, {0, 1, 4}}, {{0, 1, 4}, {0, 0, 0}}};
    assert_int_equal(nw_section_count_records(rows.a, 12), 3);
    assert_int_equal(nw_section_count_records(rows.a, 3), 3);
    assert_int_equal(nw_section_count_records(line.a, 12), 2);
    assert_int_equal(nw_section_count_records(line.a, 2), 2);
    assert_int_equal(nw_section_count_records(zeroes.a, 8), 3);
    assert_int_equal(nw_section_count_records(zeroes.a, 3), 3);
    /* A dimension of one row looks like the end, but its size says that it is not. */
    const record_t one_row[] = {{2, 4, ROW}, {0, 1, ROW}, {3, 2, 8}, {0, 1, 4}};
    assert_int_equal(nw_section_count_records(one_row, 4), 4);
    assert_int_equal(nw_section_count_records(one_row, 8), 4);
    const record_t endless[] = {{0, 3, 16}, {0, 3, 8}, {0, 5, 0}};
    assert_int_equal(nw_section_count_records(endless, 2), 0);
    enter_changed();
    update(rows.a, 12, NW_MAP_FROM);
    check_updated(0, 4, 2, 0, 3, 1);
}

static void an_empty_section_moves_nothing(void **state)
{
    (void)state;
    const record_t a[] = {{0, 0, 2 * ROW}, {0, 3, 4}, {0, 1, 4}};
    enter_changed();
    update(a, 3, NW_MAP_FROM | NW_MAP_TO | NW_MAP_PRESENT);
    check_updated(0, 0, 1, 0, 0, 1);
    assert_int_equal(fake.copied_in, 0);
}

static void absent_data_is_left_alone(void **state)
{
    (void)state;
    const record_t a[] = {{0, 4, 2 * ROW}, {0, 3, 4}, {0, 1, 4}};
    update(a, 3, NW_MAP_FROM);
    assert_int_equal(fake.copied_out, 0);
    /* Partly present: what would be updated reaches behind what is mapped. */
    run_one(&fake, NW_DATA_BEGIN, x, 3 * ROW, NW_MAP_TO, NULL);
    update(a, 3, NW_MAP_FROM);
    assert_int_equal(fake.copied_out, 0);
    run_one(&fake, NW_DATA_END, x, 3 * ROW, 0, NULL);
}

/* Only the section's own bytes have to be present: the row behind its last one is not among them. */
static void the_gap_behind_the_last_run_need_not_be_present(void **state)
{
    (void)state;
    const record_t a[] = {{0, 2, 2 * ROW}, {0, 3, 4}, {0, 1, 4}};
    run_one(&fake, NW_DATA_BEGIN, x, 2 * ROW + 12, NW_MAP_TO, NULL);
    update(a, 3, NW_MAP_FROM | NW_MAP_PRESENT);
    assert_int_equal(fake.copied_out, 6 * sizeof(int));
    run_one(&fake, NW_DATA_END, x, 2 * ROW + 12, 0, NULL);
}

static void the_description_is_read_when_the_construct_is_decided(void **state)
{
    (void)state;
    construct_t c = {0};
    enter_changed();
    record_t *a = malloc(3 * sizeof *a);
    assert_non_null(a);
    memcpy(a, (const record_t[]){{0, 4, 2 * ROW}, {0, 3, 4}, {0, 1, 4}}, 3 * sizeof *a);
    construct_add(&c, x, a, 3, NW_MAP_FROM | STRIDED);
    nw_op_t *op = construct_submit(&fake, &c, NW_DATA_UPDATE, NULL);
    memset(a, 0x55, 3 * sizeof *a);
    free(a);
    fake_finish_all(&fake);
    op_free(op);
    check_updated(0, 4, 2, 0, 3, 1);
}

/* Attached pointers inside a run keep their values on both sides. */
static void attached_pointers_are_left_out(void **state)
{
    (void)state;
    struct item {
        int *p;
        long n;
    } items[4] = {{x[0], 1}, {x[1], 2}, {x[2], 3}, {x[3], 4}};
    run_one(&fake, NW_DATA_BEGIN, x, BYTES, NW_MAP_TO, NULL);
    run_one(&fake, NW_DATA_BEGIN, items, sizeof items, NW_MAP_TO, NULL);
    construct_t c = {0};
    construct_add(&c, &items[2].p, x[2], ROW, NW_MAP_PTR_AND_OBJ | MEMBER_OF(0));
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    struct item *device = (struct item *)fake_mapping(&fake, items)->device;
    for (int i = 0; i < 4; i++)
        device[i].n += 10;
    const record_t a[] = {{0, 2, 2 * sizeof items[0]}, {0, 1, sizeof items[0]}};
    fake.copied_out = 0;
    c = (construct_t){0};
    construct_add(&c, items, (void *)(uintptr_t)a, 2, NW_MAP_FROM | STRIDED);
    run_construct(&fake, &c, NW_DATA_UPDATE, NULL);
    assert_int_equal(fake.copied_out, 2 * sizeof items[0] - sizeof(int *));
    assert_int_equal(items[0].n + items[1].n + items[2].n + items[3].n, 11 + 2 + 13 + 4);
    assert_ptr_equal(items[2].p, x[2]);
    run_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_DELETE, NULL);
    run_one(&fake, NW_DATA_END, items, sizeof items, 0, NULL);
}

/* In the steady state a section costs no memory of its own. */
static void sections_are_used_again(void **state)
{
    (void)state;
    const record_t a[] = {{0, 4, 2 * ROW}, {0, 3, 4}, {0, 1, 4}};
    enter_changed();
    update(a, 3, NW_MAP_FROM);
    nw_section_t *spare = fake.core.map.first.spare_sections;
    assert_non_null(spare);
    assert_null(spare->next);
    update(a, 3, NW_MAP_FROM);
    assert_ptr_equal(fake.core.map.first.spare_sections, spare);
    leave();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(every_second_row),
        TEST(whole_rows_are_one_run_each),
        TEST(what_lies_together_after_all_is_one_run),
        TEST(a_strided_line_with_an_offset),
        TEST(a_block_with_offsets),
        TEST(a_placed_section_begins_where_it_says),
        TEST(three_dimensions),
        TEST(to_the_device),
        TEST(records_are_counted_when_the_size_is_in_bytes),
        TEST(an_empty_section_moves_nothing),
        TEST(absent_data_is_left_alone),
        TEST(the_gap_behind_the_last_run_need_not_be_present),
        TEST(the_description_is_read_when_the_construct_is_decided),
        TEST(attached_pointers_are_left_out),
        TEST(sections_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
