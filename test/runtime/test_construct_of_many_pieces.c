/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Constructs of very many map entries, as mappers make them of arrays of structures: nothing is copied twice, and each
 * entry is looked at a few times, not once for each other entry. What took time for their square would take the
 * watchdog's.
 */
#include <stdlib.h>
#include <string.h>

#include "core/map_types.h"
#include "support/fake_device.h"
#include "support/harness.h"

enum { MANY = 100000, TOFROM = NW_MAP_TO | NW_MAP_FROM };

static fake_device_t fake;

/* A construct of any size. */
typedef struct entries {
    int32_t n;
    void **bases, **ptrs;
    int64_t *sizes;
    uint64_t *types;
} entries_t;

static entries_t make_entries(size_t most)
{
    entries_t e = {.bases = calloc(most, sizeof *e.bases),
                   .ptrs = calloc(most, sizeof *e.ptrs),
                   .sizes = calloc(most, sizeof *e.sizes),
                   .types = calloc(most, sizeof *e.types)};
    assert_true(e.bases && e.ptrs && e.sizes && e.types);
    return e;
}

static void free_entries(entries_t *e)
{
    free(e->bases);
    free(e->ptrs);
    free(e->sizes);
    free(e->types);
}

static void add(entries_t *e, void *base, void *begin, size_t size, uint64_t type)
{
    e->bases[e->n] = base;
    e->ptrs[e->n] = begin;
    e->sizes[e->n] = (int64_t)size;
    e->types[e->n++] = type;
}

static void nothing(const nw_launch_t *launch)
{
    (void)launch;
}

/* A target construct of the entries, in flight. */
static nw_op_t *submit(const entries_t *e)
{
    static nw_region_t region = {.name = "test_region"};
    static nw_kernel_t kernel = {.body = nothing};
    nw_op_t *op = aligned_alloc(16, (nw_op_size(1) + 15) / 16 * 16);
    assert_non_null(op);
    nw_op_init(op, 1);
    nw_op_begin(op, &fake.core, &test_place);
    nw_map_args_t args = {.n = e->n, .bases = e->bases, .ptrs = e->ptrs, .sizes = e->sizes, .types = e->types};
    nw_construct_decide(op, NW_TARGET, &args, &(nw_region_launch_t){.region = &region, .kernel = &kernel});
    nw_op_submit(op);
    return op;
}

static void run(const entries_t *e)
{
    nw_op_t *op = submit(e);
    fake_finish_all(&fake);
    op_free(op);
}

typedef struct point {
    double x;
    char rest[40];
    double y;
} point_t;

/* As `map(tofrom: p.x, p.y)` of a mapper, and each point twice. */
static void members_of_one_array_are_copied_once(void **state)
{
    (void)state;
    point_t *points = calloc(MANY, sizeof *points);
    entries_t e = make_entries(1 + 4 * MANY);
    add(&e, points, points, MANY * sizeof *points, 0);
    for (size_t i = 0; i < 2 * MANY; i++) {
        point_t *p = &points[i < MANY ? i : 2 * MANY - 1 - i];
        add(&e, p, &p->x, sizeof p->x, TOFROM | MEMBER_OF(0));
        add(&e, p, &p->y, sizeof p->y, TOFROM | MEMBER_OF(0));
    }
    run(&e);
    assert_int_equal(fake.copied_in, 2 * MANY * sizeof(double));
    assert_int_equal(fake.copied_out, 2 * MANY * sizeof(double));
    free_entries(&e);
    free(points);
}

/* Bytes that have to be copied if each range is, unless one that was copied before holds it. */
static size_t count_bytes(const entries_t *e, bool backwards)
{
    bool copied[256] = {false};
    size_t bytes = 0;
    for (int32_t k = 1; k < e->n; k++) {
        int32_t i = backwards ? e->n - k : k;
        char *begin = e->ptrs[i];
        bool is_held = false;
        for (int32_t j = 1; j < e->n; j++) {
            char *other = e->ptrs[j];
            is_held |= copied[j] && other <= begin && other + e->sizes[j] >= begin + e->sizes[i];
        }
        copied[i] = !is_held;
        bytes += copied[i] ? (size_t)e->sizes[i] : 0;
    }
    return bytes;
}

static void ranges_within_others_are_left_out(void **state)
{
    (void)state;
    static char data[400];
    uint64_t random = 1;
    for (int round = 0; round < 3000; round++) {
        entries_t e = make_entries(256);
        uint32_t n = 1 + random_below(&random, round % 2 ? 30 : 250), longest = 1 + random_below(&random, 100);
        add(&e, data, data, sizeof data, 0);
        for (uint32_t i = 0; i < n; i++) {
            size_t size = 1 + random_below(&random, longest);
            char *begin = data + random_below(&random, (uint32_t)(sizeof data - size + 1));
            add(&e, data, begin, size, TOFROM | MEMBER_OF(0));
        }
        size_t in = fake.copied_in, out = fake.copied_out;
        run(&e);
        assert_int_equal(fake.copied_in - in, count_bytes(&e, false));
        assert_int_equal(fake.copied_out - out, count_bytes(&e, true));
        free_entries(&e);
    }
}

/* Small pieces and one long array that lies behind them: what comes next looks for those that are still to be written
 * to the host, and must not look through all small ones that begin as far before a piece as the long one is long. */
static void many_endings_are_searched_fast(void **state)
{
    (void)state;
    enum { PIECE = 8, GAP = 8, LONG = 4 * MANY * (PIECE + GAP) };
    char *data = malloc(MANY * (PIECE + GAP) + LONG);
    entries_t e = make_entries(MANY + 1);
    for (size_t i = 0; i < MANY; i++)
        add(&e, data + i * (PIECE + GAP), data + i * (PIECE + GAP), PIECE, TOFROM);
    add(&e, data + MANY * (PIECE + GAP), data + MANY * (PIECE + GAP), LONG, TOFROM);
    memset(data, 1, MANY * (PIECE + GAP) + LONG);
    nw_op_t *first = submit(&e), *second = submit(&e);
    assert_true(fake_is_pending(&fake, first));
    fake_finish_all(&fake);
    op_free(first);
    op_free(second);
    free_entries(&e);
    free(data);
}

/* A pointer in each structure of an array, whose data is mapped with it; all of them are left out of the copies. */
static void many_pointers_are_attached(void **state)
{
    (void)state;
    typedef struct row {
        char *data;
        long n;
    } row_t;
    row_t *rows = calloc(MANY, sizeof *rows);
    char *data = malloc(MANY);
    entries_t e = make_entries(1 + MANY);
    add(&e, rows, rows, MANY * sizeof *rows, TOFROM);
    for (size_t i = 0; i < MANY; i++) {
        rows[i] = (row_t){data + i, 1};
        add(&e, &rows[i].data, data + i, 1, NW_MAP_PTR_AND_OBJ | TOFROM | MEMBER_OF(0));
    }
    memset(data, 1, MANY);
    size_t out = fake.copied_out;
    run(&e);
    assert_int_equal(fake.copied_out - out, MANY * (sizeof(long) + 1));
    for (size_t i = 0; i < MANY; i++)
        assert_true(rows[i].data == data + i && rows[i].n == 1);
    free_entries(&e);
    free(data);
    free(rows);
}

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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(members_of_one_array_are_copied_once),
        TEST(ranges_within_others_are_left_out),
        TEST(many_endings_are_searched_fast),
        TEST(many_pointers_are_attached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
