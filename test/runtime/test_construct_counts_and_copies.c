/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Deciding constructs: what each map type does to counts, what is copied, and what the kernel is given. */
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
    for (int i = 0; i < N; i++)
        x[i] = y[i] = i;
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

/* Adds 100 to each element of the first argument. */
static void add_100(const nw_launch_t *launch)
{
    int *data = (int *)launch->args[0];
    for (int i = 0; i < N; i++)
        data[i] += 100;
}

static void set_to_7(const nw_launch_t *launch)
{
    int *data = (int *)launch->args[0];
    for (int i = 0; i < N; i++)
        data[i] = 7;
}

static void enter(void *begin, size_t size, uint64_t type)
{
    run_one(&fake, NW_DATA_BEGIN, begin, size, type, NULL);
}

static void leave(void *begin, size_t size, uint64_t type)
{
    run_one(&fake, NW_DATA_END, begin, size, type, NULL);
}

static void update(void *begin, size_t size, uint64_t type)
{
    run_one(&fake, NW_DATA_UPDATE, begin, size, type, NULL);
}

static void target(void *begin, size_t size, uint64_t type, void (*body)(const nw_launch_t *))
{
    run_one(&fake, NW_TARGET, begin, size, type, body);
}

static uint64_t count_of(const void *host)
{
    nw_mapping_t *mapping = fake_mapping(&fake, host);
    return mapping ? mapping->dynamic_count : 0;
}

static void tofrom_copies_both_ways_and_leaves_nothing(void **state)
{
    (void)state;
    target(x, BYTES, TOFROM, add_100);
    for (int i = 0; i < N; i++)
        assert_int_equal(x[i], i + 100);
    assert_int_equal(fake.copied_in, BYTES);
    assert_int_equal(fake.copied_out, BYTES);
    assert_null(fake_mapping(&fake, x));
}

static void to_copies_in_only(void **state)
{
    (void)state;
    target(x, BYTES, NW_MAP_TO, add_100);
    assert_int_equal(x[3], 3);
    assert_int_equal(fake.copied_in, BYTES);
    assert_int_equal(fake.copied_out, 0);
}

static void from_copies_out_only(void **state)
{
    (void)state;
    target(x, BYTES, NW_MAP_FROM, set_to_7);
    assert_int_equal(x[3], 7);
    assert_int_equal(fake.copied_in, 0);
    assert_int_equal(fake.copied_out, BYTES);
}

static void alloc_copies_nothing(void **state)
{
    (void)state;
    target(x, BYTES, ALLOC, set_to_7);
    assert_int_equal(x[3], 3);
    assert_int_equal(fake.copied_in + fake.copied_out, 0);
}

static void present_data_is_counted_and_not_copied(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_TO);
    assert_int_equal(count_of(x), 1);
    x[0] = 55;
    enter(x, BYTES, NW_MAP_TO);
    assert_int_equal(count_of(x), 2);
    target(x, BYTES, TOFROM, add_100);
    assert_int_equal(count_of(x), 2);
    assert_int_equal(fake.copied_in, BYTES);
    assert_int_equal(fake.copied_out, 0);
    leave(x, BYTES, NW_MAP_FROM);
    assert_int_equal(count_of(x), 1);
    assert_int_equal(x[0], 55);
    leave(x, BYTES, NW_MAP_FROM);
    assert_null(fake_mapping(&fake, x));
    assert_int_equal(x[0], 100);
}

static void release_copies_nothing_even_at_the_end(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_TO);
    target(x, BYTES, TOFROM, add_100);
    leave(x, BYTES, RELEASE);
    assert_null(fake_mapping(&fake, x));
    assert_int_equal(x[3], 3);
}

static void delete_ends_a_mapping_whatever_its_count(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        enter(x, BYTES, NW_MAP_TO);
    leave(x, BYTES, NW_MAP_DELETE);
    assert_null(fake_mapping(&fake, x));
    assert_int_equal(fake.copied_out, 0);
}

static void ending_what_is_absent_does_nothing(void **state)
{
    (void)state;
    leave(x, BYTES, NW_MAP_FROM);
    leave(x, BYTES, NW_MAP_DELETE);
    enter(x, BYTES, NW_MAP_TO);
    leave(y, BYTES, NW_MAP_FROM);
    assert_int_equal(count_of(x), 1);
    leave(x, BYTES, RELEASE);
}

static void always_copies_although_data_is_present(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_TO);
    x[1] = 40;
    target(x, BYTES, TOFROM | NW_MAP_ALWAYS, add_100);
    assert_int_equal(x[1], 140);
    assert_int_equal(count_of(x), 1);
    target(x, BYTES, TOFROM, add_100);
    leave(x, BYTES, NW_MAP_FROM | NW_MAP_ALWAYS);
    assert_int_equal(x[1], 240);
}

static void an_end_with_always_copies_before_the_last_count(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_TO);
    enter(x, BYTES, NW_MAP_TO);
    target(x, BYTES, TOFROM, add_100);
    leave(x, BYTES, NW_MAP_FROM | NW_MAP_ALWAYS);
    assert_int_equal(x[2], 102);
    assert_int_equal(count_of(x), 1);
    leave(x, BYTES, RELEASE);
}

static void hold_outlives_release_and_delete(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_TO | NW_MAP_HOLD);
    enter(x, BYTES, NW_MAP_TO);
    nw_mapping_t *mapping = fake_mapping(&fake, x);
    assert_int_equal(mapping->hold_count, 1);
    assert_int_equal(mapping->dynamic_count, 1);
    leave(x, BYTES, NW_MAP_DELETE);
    leave(x, BYTES, NW_MAP_DELETE);
    leave(x, BYTES, RELEASE);
    assert_ptr_equal(fake_mapping(&fake, x), mapping);
    target(x, BYTES, TOFROM, add_100);
    assert_int_equal(x[5], 5);
    leave(x, BYTES, NW_MAP_FROM | NW_MAP_HOLD);
    assert_null(fake_mapping(&fake, x));
    assert_int_equal(x[5], 105);
}

static void hold_of_a_region_keeps_an_end_in_it_from_ending(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_TO);
    enter(x, BYTES, NW_MAP_TO | NW_MAP_HOLD);
    leave(x, BYTES, NW_MAP_FROM);
    assert_non_null(fake_mapping(&fake, x));
    leave(x, BYTES, NW_MAP_FROM | NW_MAP_HOLD);
    assert_null(fake_mapping(&fake, x));
}

static void a_permanent_mapping_never_ends(void **state)
{
    (void)state;
    static int device_copy[N];
    nw_mapping_t *mapping;
    assert_int_equal(nw_map_table_associate(&fake.core.map, (char *)x, BYTES, (char *)device_copy, NULL, &mapping),
                     NW_OK);
    enter(x, BYTES, NW_MAP_TO);
    leave(x, BYTES, NW_MAP_DELETE);
    leave(x, BYTES, NW_MAP_FROM);
    target(x, BYTES, TOFROM, set_to_7);
    assert_int_equal(x[1], 1);
    assert_int_equal(device_copy[1], 7);
    target(x, BYTES, TOFROM | NW_MAP_ALWAYS, add_100);
    assert_int_equal(x[1], 101);
    assert_true(mapping->dynamic_count == NW_FOREVER);
    nw_map_table_remove(&fake.core.map, mapping, false);
    nw_map_table_discard(&fake.core.map, mapping);
}

static void update_moves_the_named_bytes_only(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_TO);
    target(x, BYTES, TOFROM, add_100);
    update(x + 4, 2 * sizeof(int), NW_MAP_FROM);
    assert_int_equal(x[3], 3);
    assert_int_equal(x[4], 104);
    assert_int_equal(x[5], 105);
    assert_int_equal(x[6], 6);
    x[0] = x[8] = 1000;
    update(x + 8, sizeof(int), NW_MAP_TO);
    leave(x, BYTES, NW_MAP_FROM);
    assert_int_equal(x[0], 100);
    assert_int_equal(x[8], 1000);
}

static void update_of_absent_data_does_nothing(void **state)
{
    (void)state;
    update(x, BYTES, NW_MAP_TO);
    update(x, BYTES, NW_MAP_FROM);
    update(x, 0, NW_MAP_FROM);
    assert_int_equal(fake.n_submitted, 0);
}

static void a_part_of_present_data_is_found(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_TO);
    enter(x + 3, 2 * sizeof(int), NW_MAP_TO);
    assert_int_equal(count_of(x), 2);
    assert_int_equal(fake.copied_in, BYTES);
    leave(x + 1, sizeof(int), NW_MAP_FROM);
    target(x, BYTES, ALLOC, add_100);
    /* The last end names a part: only that part is copied, and the whole is gone. */
    leave(x + 3, 2 * sizeof(int), NW_MAP_FROM);
    assert_int_equal(x[2], 2);
    assert_int_equal(x[3], 103);
    assert_int_equal(x[4], 104);
    assert_int_equal(x[5], 5);
    assert_null(fake_mapping(&fake, x));
}

static void an_implicit_map_beyond_present_data_uses_what_is_there(void **state)
{
    (void)state;
    enter(x + 2, 4 * sizeof(int), NW_MAP_TO);
    x[1] = x[2] = x[5] = x[6] = -1;
    target(x, BYTES, TOFROM | NW_MAP_IMPLICIT | NW_MAP_ALWAYS, nothing);
    assert_int_equal(fake.copied_in, 4 * sizeof(int) * 2);
    assert_int_equal(fake.copied_out, 4 * sizeof(int));
    assert_int_equal(count_of(x + 2), 1);
    leave(x + 2, 4 * sizeof(int), RELEASE);
}

/* What the last kernel was given. */
static uint64_t given[80];
static uint32_t n_given;
static char given_bytes[64];

static void note_arguments(const nw_launch_t *launch)
{
    n_given = launch->n_args;
    memcpy(given, launch->args, launch->n_args * sizeof given[0]);
}

static void arguments_are_device_addresses_of_the_bases(void **state)
{
    (void)state;
    construct_t c = {0};
    enter(x, BYTES, NW_MAP_TO);
    enter(y, BYTES, NW_MAP_TO);
    /* y[4:8] of a pointer y: the base is not where the data begin. */
    construct_map(&c, x, BYTES, TOFROM | NW_MAP_TARGET_PARAM);
    construct_add(&c, y, y + 4, 8 * sizeof(int), NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&c, x, BYTES, TOFROM);
    construct_add(&c, (void *)(uintptr_t)12345, (void *)(uintptr_t)12345, 4,
                  NW_MAP_LITERAL | NW_MAP_TARGET_PARAM | NW_MAP_TO);
    run_construct(&fake, &c, NW_TARGET, note_arguments);
    assert_int_equal(n_given, 3);
    assert_ptr_equal(given[0], fake_mapping(&fake, x)->device);
    assert_ptr_equal(given[1], fake_mapping(&fake, y)->device);
    assert_int_equal(given[2], 12345);
    leave(x, BYTES, RELEASE);
    leave(y, BYTES, RELEASE);
}

static void the_implicit_argument_comes_first(void **state)
{
    (void)state;
    nw_region_t region = {.name = "r"};
    nw_kernel_t kernel = {.body = note_arguments};
    nw_op_t *op = aligned_alloc(16, (nw_op_size(1) + 15) / 16 * 16);
    void *base = (void *)(uintptr_t)77;
    nw_map_args_t args = {.n = 1,
                          .bases = &base,
                          .ptrs = &base,
                          .sizes = &(int64_t){8},
                          .types = &(uint64_t){NW_MAP_LITERAL | NW_MAP_TARGET_PARAM}};
    assert_non_null(op);
    nw_op_init(op, 1);
    nw_op_begin(op, &fake.core, &test_place);
    nw_construct_decide(op, NW_TARGET, &args,
                        &(nw_region_launch_t){.region = &region,
                                              .kernel = &kernel,
                                              .implicit_argument = true,
                                              .num_teams = 3,
                                              .thread_limit = 5,
                                              .trip_count = 9,
                                              .dynamic_shared = 64});
    assert_int_equal(op->work.launch.num_teams, 3);
    assert_int_equal(op->work.launch.thread_limit, 5);
    assert_int_equal(op->work.launch.trip_count, 9);
    assert_int_equal(op->work.launch.dynamic_shared, 64);
    assert_string_equal(op->work.launch.name, "r");
    nw_op_submit(op);
    fake_finish_all(&fake);
    assert_int_equal(n_given, 2);
    assert_true(given[0] == UINT64_MAX);
    assert_int_equal(given[1], 77);
    op_free(op);
}

static void an_empty_section_gets_the_device_address_if_present_else_the_hosts(void **state)
{
    (void)state;
    target(x, 0, TOFROM, note_arguments);
    assert_ptr_equal(given[0], x);
    assert_int_equal(fake_count_live(&fake), 0);
    enter(x, BYTES, NW_MAP_TO);
    construct_t c = {0};
    construct_map(&c, x + 2, 0, TOFROM | NW_MAP_TARGET_PARAM);
    run_construct(&fake, &c, NW_TARGET, note_arguments);
    assert_ptr_equal(given[0], fake_mapping(&fake, x)->device + 2 * sizeof(int));
    assert_int_equal(count_of(x), 1);
    leave(x, BYTES, RELEASE);
}

static void read_private(const nw_launch_t *launch)
{
    note_arguments(launch);
    memcpy(given_bytes, (const char *)launch->args[0], 12);
}

static void firstprivate_is_read_when_the_construct_is_decided(void **state)
{
    (void)state;
    char *variable = malloc(12);
    assert_non_null(variable);
    memcpy(variable, "hello world", 12);
    nw_op_t *op = submit_one(&fake, NW_TARGET, variable, 12, NW_MAP_PRIVATE | NW_MAP_TO, read_private);
    assert_int_equal(fake.n_staged, 1);
    assert_int_equal(fake.blocks_live, 1);
    memset(variable, 'x', 12);
    free(variable);
    fake_finish_all(&fake);
    assert_string_equal(given_bytes, "hello world");
    assert_int_equal(fake.blocks_live, 0);
    op_free(op);
}

static void private_memory_is_not_read(void **state)
{
    (void)state;
    target(x, BYTES, NW_MAP_PRIVATE, note_arguments);
    assert_int_equal(fake.n_staged, 0);
    assert_ptr_not_equal(given[0], x);
    assert_int_equal(fake.copied_in + fake.copied_out, 0);
}

static void firstprivate_of_an_array_section_points_at_its_base(void **state)
{
    (void)state;
    construct_t c = {0};
    construct_add(&c, x, x + 4, 12, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    nw_op_t *op = construct_submit(&fake, &c, NW_TARGET, note_arguments);
    int *base = (int *)op->work.launch.args[0];
    assert_int_equal(base[4], 4);
    assert_int_equal(base[6], 6);
    assert_int_equal((uintptr_t)base % 64, 0);
    fake_finish_all(&fake);
    op_free(op);
}

/* llvm packs what is small too: one allocation and one transfer a region. */
static void small_private_variables_share_one_transfer(void **state)
{
    (void)state;
    static char a[12], large[2000];
    /* Aligned to 32, and no more. */
    static struct {
        _Alignas(64) char before[32];
        char b[96];
    } v;
    static double c = 2.5;
    construct_t con = {0};
    memset(a, 1, sizeof a);
    memset(v.b, 2, sizeof v.b);
    memset(large, 3, sizeof large);
    construct_map(&con, a, sizeof a, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&con, large, sizeof large, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&con, x, BYTES, TOFROM | NW_MAP_TARGET_PARAM);
    construct_map(&con, v.b, sizeof v.b, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&con, y, 4, NW_MAP_PRIVATE | NW_MAP_TARGET_PARAM);
    construct_map(&con, &c, sizeof c, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    nw_op_t *op = construct_submit(&fake, &con, NW_TARGET, note_arguments);
    assert_int_equal(fake.n_staged, 2);
    assert_int_equal(fake.blocks_live, 3);
    uint64_t *args = op->work.launch.args;
    assert_memory_equal((void *)args[0], a, sizeof a);
    assert_memory_equal((void *)args[1], large, sizeof large);
    assert_memory_equal((void *)args[3], v.b, sizeof v.b);
    assert_memory_equal((void *)args[5], &c, sizeof c);
    assert_int_equal(args[3] % 32, 0);
    assert_int_equal(args[5] % sizeof c, 0);
    /* Apart from each other. */
    assert_true(args[3] >= args[0] + sizeof a && args[4] >= args[3] + sizeof v.b && args[5] >= args[4] + 4);
    assert_true(args[5] + sizeof c - args[0] < 256);
    fake_finish_all(&fake);
    assert_int_equal(n_given, 6);
    op_free(op);
}

/* x86-64's ABI aligns an array of 16 bytes or more to 16, and clang's kernels rely on it; in a task, where the host's
 * copy lies, it has its elements' alignment only. What the program has asked for beyond that is the host copy's too. */
static void private_arrays_are_aligned_as_variables(void **state)
{
    (void)state;
    static _Alignas(64) char task[2000], given_more[24];
    construct_t con = {0};
    construct_map(&con, task + 4, 12, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&con, task + 20, 40, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&con, given_more, sizeof given_more, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&con, task + 68, 20, NW_MAP_PRIVATE | NW_MAP_TARGET_PARAM);
    construct_map(&con, task + 100, 1804, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    nw_op_t *op = construct_submit(&fake, &con, NW_TARGET, note_arguments);
    const uint64_t *args = op->work.launch.args;
    assert_int_equal(args[0] % 4, 0);
    assert_int_equal(args[1] % 16, 0);
    assert_int_equal(args[2] % 64, 0);
    assert_int_equal(args[3] % 16, 0);
    assert_int_equal(args[4] % 16, 0);
    fake_finish_all(&fake);
    op_free(op);
}

static void many_small_private_variables_take_several_pieces(void **state)
{
    (void)state;
    static char variables[20][1000];
    construct_t con = {0};
    for (int i = 0; i < 20; i++) {
        memset(variables[i], i + 1, sizeof variables[i]);
        construct_map(&con, variables[i], sizeof variables[i], NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    }
    nw_op_t *op = construct_submit(&fake, &con, NW_TARGET, note_arguments);
    assert_int_equal(fake.n_staged, 5);
    for (int i = 0; i < 20; i++)
        assert_memory_equal((void *)op->work.launch.args[i], variables[i], sizeof variables[i]);
    fake_finish_all(&fake);
    op_free(op);
}

static void empty_private_variables_have_addresses_of_their_own(void **state)
{
    (void)state;
    construct_t con = {0};
    construct_map(&con, x, 0, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&con, y, 0, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&con, y, 4, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    nw_op_t *op = construct_submit(&fake, &con, NW_TARGET, note_arguments);
    uint64_t *args = op->work.launch.args;
    assert_true(args[0] != args[1] && args[1] != args[2] && args[0] != args[2]);
    assert_memory_equal((void *)args[2], y, 4);
    fake_finish_all(&fake);
    op_free(op);
}

/* A construct's entries are one set (llvm/llvm-project PR 165494): `from` and `to` are honoured whichever entry makes
 * or ends the mapping. */
static void from_is_honoured_when_another_entry_ends_the_mapping(void **state)
{
    (void)state;
    for (int order = 0; order < 4; order++) {
        construct_t c = {0};
        enter(x, BYTES, NW_MAP_TO);
        enter(x, BYTES, NW_MAP_TO);
        target(x, BYTES, ALLOC, set_to_7);
        for (int i = 0; i < N; i++)
            x[i] = i;
        uint64_t other = order & 2 ? NW_MAP_DELETE : RELEASE;
        construct_map(&c, x, BYTES, order & 1 ? NW_MAP_FROM : other);
        construct_map(&c, x, BYTES, order & 1 ? other : NW_MAP_FROM);
        run_construct(&fake, &c, NW_DATA_END, NULL);
        assert_null(fake_mapping(&fake, x));
        assert_int_equal(x[5], 7);
    }
}

static void to_is_honoured_when_another_entry_makes_the_mapping(void **state)
{
    (void)state;
    construct_t c = {0};
    construct_map(&c, x, BYTES, ALLOC);
    construct_map(&c, x + 2, 8, NW_MAP_TO);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    assert_int_equal(fake.copied_in, 8);
    assert_int_equal(count_of(x), 2);
    leave(x, BYTES, NW_MAP_DELETE);
}

static void an_explicit_end_of_what_is_partly_present_does_nothing(void **state)
{
    (void)state;
    enter(x + 2, 4 * sizeof(int), NW_MAP_TO);
    leave(x, BYTES, NW_MAP_FROM);
    assert_int_equal(count_of(x + 2), 1);
    update(x, BYTES, NW_MAP_FROM);
    update(x, BYTES, NW_MAP_TO);
    assert_int_equal(fake.copied_out, 0);
    leave(x, BYTES, NW_MAP_FROM | NW_MAP_IMPLICIT);
    assert_null(fake_mapping(&fake, x + 2));
    assert_int_equal(fake.copied_out, 4 * sizeof(int));
}

static void data_constructs_ignore_private_and_literal_entries(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_PRIVATE | NW_MAP_TO);
    enter(x, BYTES, NW_MAP_LITERAL);
    leave(x, BYTES, NW_MAP_PRIVATE);
    update(x, BYTES, NW_MAP_LITERAL | NW_MAP_TO);
    assert_int_equal(fake_count_live(&fake), 0);
    assert_int_equal(fake.blocks_live, 0);
}

static void use_device_ptr_returns_the_device_address(void **state)
{
    (void)state;
    enter(x, BYTES, NW_MAP_TO);
    void *base = x, *absent = y, *bases[2] = {base, absent}, *ptrs[2] = {base, absent};
    int64_t sizes[2] = {0, 0};
    uint64_t types[2] = {NW_MAP_RETURN_PARAM, NW_MAP_RETURN_PARAM};
    nw_map_args_t args = {.n = 2, .bases = bases, .ptrs = ptrs, .sizes = sizes, .types = types};
    nw_op_t *op = aligned_alloc(16, (nw_op_size(2) + 15) / 16 * 16);
    assert_non_null(op);
    nw_op_init(op, 2);
    nw_op_begin(op, &fake.core, &test_place);
    nw_construct_decide(op, NW_DATA_BEGIN, &args, NULL);
    assert_ptr_equal(bases[0], fake_mapping(&fake, x)->device);
    assert_ptr_equal(bases[1], y);
    nw_op_submit(op);
    fake_finish_all(&fake);
    op_free(op);
    leave(x, BYTES, RELEASE);
    leave(x, BYTES, RELEASE);
}

/* A struct of which two members are mapped: clang makes an entry for the whole range and one for each member. */
typedef struct record {
    int before, first, middle, second, after;
} record_t;

static construct_t members(record_t *r, uint64_t first, uint64_t second)
{
    construct_t c = {0};
    construct_add(&c, r, &r->first, 3 * sizeof(int), NW_MAP_TARGET_PARAM);
    construct_add(&c, r, &r->first, sizeof(int), MEMBER_OF(0) | first);
    construct_add(&c, r, &r->second, sizeof(int), MEMBER_OF(0) | second);
    return c;
}

static void change_members(const nw_launch_t *launch)
{
    record_t *r = (record_t *)launch->args[0];
    r->first += 10;
    r->second += 10;
}

static void members_of_a_struct_are_counted_once_and_copied_apart(void **state)
{
    (void)state;
    record_t r = {1, 2, 3, 4, 5};
    construct_t c = members(&r, TOFROM, NW_MAP_TO);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    assert_int_equal(count_of(&r.first), 1);
    assert_int_equal(fake_count_live(&fake), 1);
    assert_int_equal(fake.copied_in, 2 * sizeof(int));
    run_construct(&fake, &c, NW_TARGET, change_members);
    assert_int_equal(count_of(&r.first), 1);
    assert_int_equal(r.first, 2);
    run_construct(&fake, &c, NW_DATA_END, NULL);
    assert_null(fake_mapping(&fake, &r.first));
    assert_int_equal(r.first, 12);
    assert_int_equal(r.second, 4);
    assert_int_equal(r.middle, 3);
    run_construct(&fake, &c, NW_TARGET, change_members);
    assert_int_equal(r.first, 22);
    assert_int_equal(r.second, 4);
}

static void deleting_a_struct_ends_it_whatever_its_count(void **state)
{
    (void)state;
    record_t r = {1, 2, 3, 4, 5};
    construct_t c = members(&r, NW_MAP_TO, NW_MAP_TO), gone = members(&r, NW_MAP_DELETE, NW_MAP_DELETE);
    gone.types[0] |= NW_MAP_DELETE;
    for (int i = 0; i < 3; i++)
        run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    assert_int_equal(count_of(&r.first), 3);
    run_construct(&fake, &gone, NW_DATA_END, NULL);
    assert_null(fake_mapping(&fake, &r.first));
}

static void one_construct_may_name_the_same_data_twice(void **state)
{
    (void)state;
    construct_t c = {0};
    construct_map(&c, x, BYTES, NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&c, x, BYTES, NW_MAP_FROM);
    run_construct(&fake, &c, NW_TARGET, add_100);
    assert_null(fake_mapping(&fake, x));
    assert_int_equal(fake.copied_in, BYTES);
}

static void add_to_all(const nw_launch_t *launch)
{
    for (uint32_t i = 0; i < launch->n_args; i++)
        *(int *)launch->args[i] += (int)i;
}

static void constructs_of_any_length_are_decided(void **state)
{
    (void)state;
    static int many[CONSTRUCT_MAX];
    for (int32_t n = 0; n <= CONSTRUCT_MAX; n++) {
        construct_t c = {0};
        memset(many, 0, sizeof many);
        for (int32_t i = 0; i < n; i++)
            construct_map(&c, &many[i], sizeof(int), TOFROM | NW_MAP_TARGET_PARAM);
        run_construct(&fake, &c, NW_TARGET, add_to_all);
        for (int i = 0; i < CONSTRUCT_MAX; i++)
            assert_int_equal(many[i], i < n ? i : 0);
    }
}

/* An operation made for few entries (a task compiled without the plugin) takes any number. */
static void an_operation_made_for_few_entries_takes_many(void **state)
{
    (void)state;
    static int many[CONSTRUCT_MAX];
    construct_t c = {0};
    nw_region_t region = {.name = "r"};
    nw_kernel_t kernel = {.body = add_to_all};
    nw_op_t *op = aligned_alloc(16, (nw_op_size(2) + 15) / 16 * 16);
    assert_non_null(op);
    for (int32_t i = 0; i < CONSTRUCT_MAX; i++)
        construct_map(&c, &many[i], sizeof(int), TOFROM | NW_MAP_TARGET_PARAM);
    nw_map_args_t args = {.n = c.n, .bases = c.bases, .ptrs = c.ptrs, .sizes = c.sizes, .types = c.types};
    nw_op_init(op, 2);
    nw_op_begin(op, &fake.core, &test_place);
    nw_construct_decide(op, NW_TARGET, &args, &(nw_region_launch_t){.region = &region, .kernel = &kernel});
    nw_op_submit(op);
    fake_finish_all(&fake);
    for (int i = 0; i < CONSTRUCT_MAX; i++)
        assert_int_equal(many[i], i);
    op_free(op);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(tofrom_copies_both_ways_and_leaves_nothing),
        TEST(to_copies_in_only),
        TEST(from_copies_out_only),
        TEST(alloc_copies_nothing),
        TEST(present_data_is_counted_and_not_copied),
        TEST(release_copies_nothing_even_at_the_end),
        TEST(delete_ends_a_mapping_whatever_its_count),
        TEST(ending_what_is_absent_does_nothing),
        TEST(always_copies_although_data_is_present),
        TEST(an_end_with_always_copies_before_the_last_count),
        TEST(hold_outlives_release_and_delete),
        TEST(hold_of_a_region_keeps_an_end_in_it_from_ending),
        TEST(a_permanent_mapping_never_ends),
        TEST(update_moves_the_named_bytes_only),
        TEST(update_of_absent_data_does_nothing),
        TEST(a_part_of_present_data_is_found),
        TEST(an_implicit_map_beyond_present_data_uses_what_is_there),
        TEST(arguments_are_device_addresses_of_the_bases),
        TEST(the_implicit_argument_comes_first),
        TEST(an_empty_section_gets_the_device_address_if_present_else_the_hosts),
        TEST(firstprivate_is_read_when_the_construct_is_decided),
        TEST(private_memory_is_not_read),
        TEST(firstprivate_of_an_array_section_points_at_its_base),
        TEST(small_private_variables_share_one_transfer),
        TEST(private_arrays_are_aligned_as_variables),
        TEST(many_small_private_variables_take_several_pieces),
        TEST(empty_private_variables_have_addresses_of_their_own),
        TEST(from_is_honoured_when_another_entry_ends_the_mapping),
        TEST(to_is_honoured_when_another_entry_makes_the_mapping),
        TEST(an_explicit_end_of_what_is_partly_present_does_nothing),
        TEST(data_constructs_ignore_private_and_literal_entries),
        TEST(use_device_ptr_returns_the_device_address),
        TEST(members_of_a_struct_are_counted_once_and_copied_apart),
        TEST(deleting_a_struct_ends_it_whatever_its_count),
        TEST(one_construct_may_name_the_same_data_twice),
        TEST(constructs_of_any_length_are_decided),
        TEST(an_operation_made_for_few_entries_takes_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
