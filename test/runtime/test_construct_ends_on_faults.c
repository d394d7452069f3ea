/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constructs that cannot be done end the program with one line and exit status 1; each fault runs in a child. */
#include <string.h>

#include "core/map_types.h"
#include "support/fake_device.h"
#include "support/harness.h"

enum { N = 16, BYTES = N * sizeof(int), TOFROM = NW_MAP_TO | NW_MAP_FROM };

static fake_device_t fake;
static int x[N];

static void nothing(const nw_launch_t *launch)
{
    (void)launch;
}

/* Each body runs on a fresh device; what it leaves goes with the child. */
static void enter(void *begin, size_t size, uint64_t type)
{
    run_one(&fake, NW_DATA_BEGIN, begin, size, type, NULL);
}

static void map_without_device_memory(void)
{
    fake_device_init(&fake);
    fake.allocations_left = 0;
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
}

static void firstprivate_without_device_memory(void)
{
    fake_device_init(&fake);
    fake.allocations_left = 0;
    run_one(&fake, NW_TARGET, x, BYTES, NW_MAP_PRIVATE | NW_MAP_TO, nothing);
}

static void second_map_without_device_memory(void)
{
    construct_t c = {0};
    fake_device_init(&fake);
    fake.allocations_left = 1;
    construct_map(&c, x, 4, TOFROM);
    construct_map(&c, x + 1, 4, TOFROM);
    run_construct(&fake, &c, NW_TARGET, nothing);
}

static void out_of_device_memory_is_one_line(void **state)
{
    (void)state;
    assert_fatal(map_without_device_memory, "test.c:12:3: device 3: map of unknown (");
    assert_fatal(map_without_device_memory, "64 bytes): out of device memory");
    assert_fatal(firstprivate_without_device_memory, "out of device memory");
    assert_fatal(second_map_without_device_memory, "out of device memory");
}

static void map_negative_size(void)
{
    construct_t c = {0};
    fake_device_init(&fake);
    construct_map(&c, x, BYTES, TOFROM);
    construct_map(&c, x, BYTES, TOFROM);
    c.sizes[1] = -8;
    run_construct(&fake, &c, NW_TARGET, nothing);
}

static void a_negative_size_is_one_line(void **state)
{
    (void)state;
    assert_fatal(map_negative_size, "-8 bytes): has a negative size");
}

static void map_all_of_memory(void)
{
    fake_device_init(&fake);
    run_one(&fake, NW_TARGET, x, INT64_MAX, TOFROM, nothing);
}

static void a_size_beyond_all_memory_is_one_line(void **state)
{
    (void)state;
    assert_fatal(map_all_of_memory, "out of device memory");
}

static void extend_upwards(void)
{
    fake_device_init(&fake);
    enter(x, 8, NW_MAP_TO);
    enter(x, BYTES, NW_MAP_TO);
}

static void extend_downwards(void)
{
    fake_device_init(&fake);
    enter(x + 4, 8, NW_MAP_TO);
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
}

static void extend_in_one_construct(void)
{
    construct_t c = {0};
    fake_device_init(&fake);
    construct_map(&c, x, 8, TOFROM);
    construct_map(&c, x + 1, 8, TOFROM);
    run_construct(&fake, &c, NW_TARGET, nothing);
}

static void a_map_that_extends_present_data_is_one_line(void **state)
{
    (void)state;
    assert_fatal(extend_upwards, "extends data that is only partly present");
    assert_fatal(extend_downwards, "extends data that is only partly present");
    assert_fatal(extend_in_one_construct, "extends data that is only partly present");
}

static void target_absent(void)
{
    fake_device_init(&fake);
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM | NW_MAP_PRESENT, nothing);
}

static void target_partly_present(void)
{
    fake_device_init(&fake);
    enter(x, 8, NW_MAP_TO);
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM | NW_MAP_PRESENT, nothing);
}

static void end_absent(void)
{
    fake_device_init(&fake);
    run_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_FROM | NW_MAP_PRESENT, NULL);
}

static void update_absent(void)
{
    fake_device_init(&fake);
    run_one(&fake, NW_DATA_UPDATE, x, BYTES, NW_MAP_FROM | NW_MAP_PRESENT, NULL);
}

static void update_partly_present(void)
{
    fake_device_init(&fake);
    enter(x, 8, NW_MAP_TO);
    run_one(&fake, NW_DATA_UPDATE, x, BYTES, NW_MAP_FROM | NW_MAP_PRESENT, NULL);
}

static void end_partly_present(void)
{
    fake_device_init(&fake);
    enter(x, 8, NW_MAP_TO);
    run_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_FROM | NW_MAP_PRESENT, NULL);
}

/* `present` asks for what was there before the construct, not for what another of its entries makes. */
static void target_present_by_its_own_entry(void)
{
    construct_t c = {0};
    fake_device_init(&fake);
    construct_map(&c, x, BYTES, TOFROM | NW_MAP_TARGET_PARAM);
    construct_map(&c, x, BYTES, TOFROM | NW_MAP_PRESENT);
    run_construct(&fake, &c, NW_TARGET, nothing);
}

static void update_senseless_section(void)
{
    construct_t c = {0};
    uint64_t description[6] = {0, 3, 16, 5, 5, 5};
    fake_device_init(&fake);
    enter(x, BYTES, NW_MAP_TO);
    construct_add(&c, x, description, 2, NW_MAP_FROM | NW_MAP_NON_CONTIGUOUS);
    run_construct(&fake, &c, NW_DATA_UPDATE, NULL);
}

static void missing_data_is_one_line(void **state)
{
    (void)state;
    assert_fatal(target_absent, "is not present, as its 'present' modifier demands");
    assert_fatal(target_partly_present, "partly present");
    assert_fatal(end_absent, "is not present, as its 'present' modifier demands");
    assert_fatal(update_absent, "is not present, as its 'present' modifier demands");
    assert_fatal(update_partly_present, "partly present");
    assert_fatal(end_partly_present, "partly present");
    assert_fatal(target_present_by_its_own_entry, "is not present, as its 'present' modifier demands");
}

static void a_senseless_section_is_one_line(void **state)
{
    (void)state;
    assert_fatal(update_senseless_section, "description of its dimensions that makes no sense");
}

/* With a name and a place in the entry the line says what was mapped. */
static void map_named(void)
{
    void *base = x, *name = ";x[0:16];app.c;30;9;;";
    nw_map_args_t args = {.n = 1,
                          .bases = &base,
                          .ptrs = &base,
                          .sizes = &(int64_t){BYTES},
                          .types = &(uint64_t){TOFROM | NW_MAP_PRESENT},
                          .names = &name};
    static _Alignas(16) char memory[4096];
    nw_op_t *op = (nw_op_t *)memory;
    fake_device_init(&fake);
    nw_op_init(op, 1);
    nw_op_begin(op, &fake.core, &test_place);
    nw_construct_decide(op, NW_DATA_BEGIN, &args, NULL);
}

static void the_line_names_the_variable(void **state)
{
    (void)state;
    assert_fatal(map_named, "map of x[0:16] (");
}

static void fail_on_the_device(void)
{
    fake_device_init(&fake);
    nw_op_t *op = submit_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
    fake.n_pending = 0;
    op->work.done(&op->work, NW_ERR_DEVICE);
}

static void fail_in_a_transfer(void)
{
    fake_device_init(&fake);
    nw_op_t *op = submit_one(&fake, NW_DATA_BEGIN, x, BYTES, NW_MAP_TO, NULL);
    fake.n_pending = 0;
    op->work.done(&op->work, NW_ERR_DEVICE_LOST);
}

static void a_device_error_is_one_line_with_the_constructs_place(void **state)
{
    (void)state;
    assert_fatal(fail_on_the_device, "test.c:12:3: region test_region on device 3 failed: device operation failed");
    assert_fatal(fail_in_a_transfer, "test.c:12:3: data transfer on device 3 failed: device lost");
}

static void finish_twice(void)
{
    fake_device_init(&fake);
    nw_op_t *op = submit_one(&fake, NW_TARGET, x, BYTES, NW_MAP_TO, nothing);
    fake_finish_all(&fake);
    op->work.done(&op->work, NW_OK);
}

static void a_backend_that_reports_done_twice_is_stopped(void **state)
{
    (void)state;
    assert_fatal(finish_twice, "internal error");
}

static void use_unknown_bits(void)
{
    fake_device_init(&fake);
    for (int i = 0; i < 5; i++)
        run_one(&fake, NW_TARGET, x, BYTES, TOFROM | UINT64_C(0x800000), nothing);
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM | UINT64_C(0x100000), nothing);
    fake_device_destroy(&fake);
}

static void unknown_map_bits_get_one_warning_and_the_rest_is_done(void **state)
{
    (void)state;
    const char *text;
    assert_int_equal(run_in_child(use_unknown_bits, &text), 0);
    assert_int_equal(count_lines(text), 1);
    assert_non_null(strstr(text, "nowait: warning: test.c:12:3: map type has bits 0x800000 "));
}

static void use_known_bits(void)
{
    fake_device_init(&fake);
    /* Bits that LLVM documents, whether or not they change anything here. */
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM | NW_MAP_CLOSE | NW_MAP_IMPLICIT | 0x800, nothing);
    fake_device_destroy(&fake);
}

static void known_map_bits_get_none(void **state)
{
    (void)state;
    const char *text;
    assert_int_equal(run_in_child(use_known_bits, &text), 0);
    assert_string_equal(text, "");
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_of_device_memory_is_one_line),
        cmocka_unit_test(a_negative_size_is_one_line),
        cmocka_unit_test(a_size_beyond_all_memory_is_one_line),
        cmocka_unit_test(a_map_that_extends_present_data_is_one_line),
        cmocka_unit_test(missing_data_is_one_line),
        cmocka_unit_test(a_senseless_section_is_one_line),
        cmocka_unit_test(the_line_names_the_variable),
        cmocka_unit_test(a_device_error_is_one_line_with_the_constructs_place),
        cmocka_unit_test(a_backend_that_reports_done_twice_is_stopped),
        cmocka_unit_test(unknown_map_bits_get_one_warning_and_the_rest_is_done),
        cmocka_unit_test(known_map_bits_get_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
