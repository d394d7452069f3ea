/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and fills by address: who carries them out, that they are one operation, and that they move every byte. */
#include <string.h>

#include "core/transfer.h"
#include "support/fake_device.h"
#include "support/harness.h"

enum { BYTES = 64 };

static fake_device_t near, far, other_far, third;
static nw_device_ops_t near_ops, other_ops, plain_ops;
static char a[BYTES], b[BYTES];

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&near);
    fake_device_init(&far);
    fake_device_init(&other_far);
    fake_device_init(&third);
    /* The fake device's memory counts as out of the host's reach, unless it is told otherwise. */
    near_ops = other_ops = plain_ops = *far.core.base.ops;
    near_ops.memory_is_host = true;
    plain_ops.moves = false;
    near.core.base.ops = &near_ops;
    other_far.core.base.ops = &other_ops;
    third.core.base.ops = &plain_ops;
    for (int i = 0; i < BYTES; i++) {
        a[i] = (char)i;
        b[i] = (char)-1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&near);
    fake_device_destroy(&far);
    fake_device_destroy(&other_far);
    fake_device_destroy(&third);
    return 0;
}

static nw_transfer_t copy(fake_device_t *to, fake_device_t *from)
{
    nw_transfer_t transfer = {.to_device = to ? &to->core : NULL,
                              .from_device = from ? &from->core : NULL,
                              .to = b,
                              .from = a,
                              .run = BYTES,
                              .n_runs = 1};
    nw_transfer_classify(&transfer, false);
    return transfer;
}

static void ends_decide_the_kind_and_the_carrier(void **state)
{
    (void)state;
    const struct row {
        fake_device_t *to, *from;
        nw_transfer_kind_t kind;
        fake_device_t *carrier;
    } rows[] = {
        {&far, NULL, NW_TRANSFER_IN, &far},
        {NULL, &far, NW_TRANSFER_OUT, &far},
        {&far, &near, NW_TRANSFER_IN, &far},
        {&near, &far, NW_TRANSFER_OUT, &far},
        {&near, NULL, NW_TRANSFER_WITHIN, &near},
        {NULL, &near, NW_TRANSFER_WITHIN, &near},
        {&far, &far, NW_TRANSFER_WITHIN, &far},
        {&far, &other_far, NW_TRANSFER_THROUGH_HOST, NULL},
        /* Without `moves` the backend only takes works with the host at one end. */
        {&third, &third, NW_TRANSFER_WITHIN, NULL},
        {&third, NULL, NW_TRANSFER_IN, &third},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nw_transfer_t transfer = copy(rows[i].to, rows[i].from);
        assert_int_equal(transfer.kind, rows[i].kind);
        assert_ptr_equal(nw_transfer_carrier(&transfer), rows[i].carrier ? &rows[i].carrier->core : NULL);
        memset(b, -1, sizeof b);
        assert_int_equal(nw_transfer_run(&transfer), NW_OK);
        assert_memory_equal(a, b, BYTES);
    }
}

static void between_host_addresses_a_cpu_device_carries(void **state)
{
    (void)state;
    nw_transfer_t transfer = copy(NULL, NULL);
    nw_core_device_t *carrier = nw_transfer_carrier(&transfer);
    assert_non_null(carrier);
    assert_true(carrier->base.ops->memory_is_host);
}

/* As an operation: nothing happens before the device says so, and then all of it. */
static void submit_and_check(const nw_transfer_t *transfer, fake_device_t *device)
{
    _Alignas(16) char memory[4096];
    char before[BYTES];
    nw_op_t *op = (nw_op_t *)memory;
    assert_true(nw_op_size(0) <= sizeof memory);
    memcpy(before, b, BYTES);
    nw_op_init(op, 0);
    nw_op_begin(op, &device->core, &test_place);
    nw_transfer_decide(op, transfer);
    nw_op_submit(op);
    assert_true(fake_is_pending(device, op));
    assert_memory_equal(b, before, BYTES);
    fake_finish(device, op);
    assert_int_equal(nw_op_state(op), NW_OP_DONE);
}

static void each_kind_is_one_operation(void **state)
{
    (void)state;
    nw_transfer_t in = copy(&far, NULL), out = copy(NULL, &far), within = copy(&far, &far);
    nw_transfer_t fill = {.to_device = &far.core, .to = b, .byte = 9, .run = BYTES, .n_runs = 1};
    submit_and_check(&in, &far);
    assert_memory_equal(a, b, BYTES);
    assert_int_equal(far.copied_in, BYTES);
    memset(b, -1, BYTES);
    submit_and_check(&out, &far);
    assert_memory_equal(a, b, BYTES);
    assert_int_equal(far.copied_out, BYTES);
    memset(b, -1, BYTES);
    submit_and_check(&within, &far);
    assert_memory_equal(a, b, BYTES);
    nw_transfer_classify(&fill, true);
    submit_and_check(&fill, &far);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(b[i], 9);
}

static void an_empty_one_is_over_at_once(void **state)
{
    (void)state;
    _Alignas(16) char memory[4096];
    nw_op_t *op = (nw_op_t *)memory;
    nw_transfer_t transfer = copy(&far, NULL);
    transfer.run = 0;
    nw_op_init(op, 0);
    nw_op_begin(op, &far.core, &test_place);
    nw_transfer_decide(op, &transfer);
    nw_op_submit(op);
    assert_int_equal(nw_op_state(op), NW_OP_DONE);
    assert_int_equal(far.n_submitted, 0);
    assert_int_equal(nw_transfer_run(&transfer), NW_OK);
}

/* Two planes of three rows of two bytes; every row lies somewhere else on the two sides. */
static void strides_of_both_sides_are_kept(void **state)
{
    (void)state;
    const nw_transfer_dim_t dims[] = {{2, 32, 20}, {3, 8, 5}};
    fake_device_t *ends[][2] = {{&far, NULL}, {NULL, &far}, {&far, &far}};
    for (size_t e = 0; e < 3; e++) {
        nw_transfer_t transfer = copy(ends[e][0], ends[e][1]);
        char expected[BYTES];
        memset(b, -1, BYTES);
        memset(expected, -1, BYTES);
        for (int plane = 0; plane < 2; plane++) {
            for (int row = 0; row < 3; row++)
                memcpy(expected + plane * 32 + row * 8, a + plane * 20 + row * 5, 2);
        }
        transfer.run = 2;
        transfer.n_runs = 6;
        transfer.n_dims = 2;
        transfer.dims = dims;
        submit_and_check(&transfer, &far);
        assert_memory_equal(b, expected, BYTES);
        memset(b, -1, BYTES);
        assert_int_equal(nw_transfer_run(&transfer), NW_OK);
        assert_memory_equal(b, expected, BYTES);
    }
}

static nw_status_t refuse(nw_device_t *device, void *to, const void *from, size_t size)
{
    (void)device, (void)to, (void)from, (void)size;
    return NW_ERR_DEVICE;
}

static void a_failure_ends_the_copy_and_is_returned(void **state)
{
    (void)state;
    other_ops.copy_in = refuse;
    nw_transfer_t in = copy(&other_far, NULL), through = copy(&other_far, &far);
    assert_int_equal(nw_transfer_run(&in), NW_ERR_DEVICE);
    assert_int_equal(nw_transfer_run(&through), NW_ERR_DEVICE);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ends_decide_the_kind_and_the_carrier, set_up, tear_down),
        cmocka_unit_test_setup_teardown(between_host_addresses_a_cpu_device_carries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_kind_is_one_operation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_one_is_over_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strides_of_both_sides_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failure_ends_the_copy_and_is_returned, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
