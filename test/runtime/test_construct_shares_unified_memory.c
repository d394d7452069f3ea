/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that requires unified shared memory: whatever is mapped plainly is the host's own memory and is counted as
 * any mapping is, so that a later `close` map of it, or of a part, finds it present; what is mapped `close` while it is
 * absent has a copy. All orders of a few constructs, against the model of support/map_model.h.
 */
#include <string.h>

#include "core/map_types.h"
#include "support/fake_device.h"
#include "support/harness.h"
#include "support/map_model.h"

enum { N = 8, DEPTH = 4, TOFROM = NW_MAP_TO | NW_MAP_FROM };

static fake_device_t fake;
static uint32_t host[MODEL_CELLS];
static map_model_t model;

/* The whole, a part, and what lies over its end: as plain and as close maps. */
static const map_entry_t ranges[] = {{0, N, 0}, {2, 5, 0}, {4, N + 2, 0}};
static const struct {
    nw_construct_kind_t kind;
    uint64_t type;
} forms[] = {
    {NW_DATA_BEGIN, NW_MAP_TO},    {NW_DATA_END, NW_MAP_FROM},
    {NW_TARGET, TOFROM},           {NW_TARGET, NW_MAP_TO | NW_MAP_PRESENT},
    {NW_DATA_UPDATE, NW_MAP_FROM},
};
enum { N_RANGES = sizeof ranges / sizeof ranges[0], N_FORMS = sizeof forms / sizeof forms[0] };
enum { N_ACTIONS = 2 * N_RANGES * N_FORMS };

static map_action_t action_number(int i)
{
    map_action_t action = {.kind = forms[i / 2 % N_FORMS].kind, .n = 1, .amount = (uint32_t)i + 1};
    action.entries[0] = ranges[i / 2 / N_FORMS];
    action.entries[0].type = forms[i / 2 % N_FORMS].type | (i % 2 ? NW_MAP_CLOSE : 0);
    return action;
}

static void do_action(map_action_t *action)
{
    nw_op_t *op = map_action_decide(&fake, action, host, false);
    nw_op_submit(op);
    fake_finish_all(&fake);
    op_free(op);
}

/* Ends all mappings of the model, and sees that the device has come to the same end. */
static void clear(void)
{
    for (int i = 0; i < MODEL_CELLS; i++) {
        const model_mapping_t *m = &model.mappings[i];
        map_action_t end = {.kind = NW_DATA_END, .n = 1, .entries = {{m->begin, m->end, NW_MAP_FROM}}};
        while (m->used) {
            assert_true(map_model_apply(&model, &end));
            do_action(&end);
        }
    }
}

static void check(const int *numbers, int n)
{
    const char *difference = map_model_differs(&model, &fake, host);
    if (!difference)
        return;
    for (int i = 0; i < n; i++) {
        map_action_t a = action_number(numbers[i]);
        print_error("kind %d cells %d to %d type 0x%x\n", (int)a.kind, a.entries[0].begin, a.entries[0].end,
                    (unsigned)a.entries[0].type);
    }
    fail_msg("%s", difference);
}

/* Does the actions of these numbers from the begin; false if one of them is an error. Only the last state is compared:
 * the others have been. */
static bool run(const int *numbers, int n)
{
    static map_model_t before;
    bool is_right = true;
    for (int i = 0; i < MODEL_CELLS; i++)
        model.host[i] = host[i] = (uint32_t)i * 1000;
    for (int i = 0; i < n && is_right; i++) {
        map_action_t action = action_number(numbers[i]);
        if (i + 1 == n)
            before = model;
        is_right = map_model_apply(&model, &action);
        if (is_right)
            do_action(&action);
        else
            model = before;
    }
    if (is_right)
        check(numbers, n);
    clear();
    check(numbers, n);
    return is_right;
}

static void try_all(int *numbers, int depth, size_t *n_right_p)
{
    for (int i = 0; i < N_ACTIONS; i++) {
        numbers[depth] = i;
        if (!run(numbers, depth + 1))
            continue;
        ++*n_right_p;
        if (depth + 1 < DEPTH)
            try_all(numbers, depth + 1, n_right_p);
    }
}

static void all_orders_of_close_and_plain_maps(void **state)
{
    (void)state;
    int numbers[DEPTH];
    size_t n_right = 0;
    try_all(numbers, 0, &n_right);
    /* Most orders are right ones, and have been compared. */
    assert_true(n_right > 300000);
}

/* Nothing is copied for a plain map, and a close map inside it takes no memory. */
static void close_inside_plain_has_no_memory(void **state)
{
    (void)state;
    map_action_t whole = {.kind = NW_DATA_BEGIN, .n = 1, .entries = {{0, N, NW_MAP_TO}}};
    map_action_t part = {.kind = NW_TARGET, .n = 1, .amount = 5, .entries = {{2, 5, NW_MAP_CLOSE}}};
    size_t copied = fake.copied_in;
    do_action(&whole);
    assert_int_equal(fake.blocks_live, 0);
    host[3] = 7;
    do_action(&part);
    assert_int_equal(host[3], 12);
    assert_int_equal(fake.copied_in, copied);
    assert_non_null(fake_mapping(&fake, &host[0]));
    whole.kind = NW_DATA_END;
    do_action(&whole);
    assert_null(fake_mapping(&fake, &host[0]));
}

/* A pointer that lies in shared memory is the host's: what a region reaches through it is the host's data, whatever the
 * map of that data says, so there must be no copy that would be brought back over it. */
static void close_data_behind_a_shared_pointer_is_shared(void **state)
{
    (void)state;
    struct holder {
        uint32_t *data;
        long other;
    } holder = {host, 1};
    construct_t joined = {0}, apart = {0};
    construct_add(&joined, &holder, &holder, sizeof holder, NW_MAP_TARGET_PARAM);
    construct_add(&joined, &holder.data, host, N * sizeof *host,
                  NW_MAP_PTR_AND_OBJ | NW_MAP_CLOSE | TOFROM | MEMBER_OF(0));
    construct_add(&apart, &holder, &holder, sizeof holder, TOFROM | NW_MAP_TARGET_PARAM);
    construct_add(&apart, host, host, N * sizeof *host, NW_MAP_CLOSE | TOFROM);
    construct_add(&apart, &holder.data, host, sizeof(void *), NW_MAP_ATTACH);
    construct_t *both[] = {&joined, &apart};
    for (size_t i = 0; i < 2; i++) {
        nw_op_t *op = construct_submit(&fake, both[i], NW_DATA_BEGIN, NULL);
        fake_finish_all(&fake);
        op_free(op);
        assert_int_equal(fake.blocks_live, 0);
        assert_ptr_equal(holder.data, host);
        assert_ptr_equal(fake_mapping(&fake, host)->device, host);
        run_construct(&fake, both[i], NW_DATA_END, NULL);
        assert_int_equal(fake_count_live(&fake), 0);
    }
}

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    memset(&model, 0, sizeof model);
    map_model_unify(&model);
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
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_orders_of_close_and_plain_maps),
        cmocka_unit_test(close_inside_plain_has_no_memory),
        cmocka_unit_test(close_data_behind_a_shared_pointer_is_shared),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
