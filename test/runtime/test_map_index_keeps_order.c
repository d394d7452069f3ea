/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The index of the mapping table: keys at random and in order, until it is empty again, against a bit for each key. */
#include <stdlib.h>
#include <string.h>

#include "core/map_index.h"
#include "support/harness.h"

enum { KEYS = 20000 };
static bool present[KEYS];
static char values[KEYS];

static void insert(nw_index_t *index, uint32_t key)
{
    assert_true(nw_index_reserve(index));
    nw_index_insert(index, key, &values[key]);
    present[key] = true;
}

static void take_out(nw_index_t *index, uint32_t key)
{
    nw_index_remove(index, key);
    present[key] = false;
}

static void check(const nw_index_t *index, uint32_t key)
{
    void *above, *below = nw_index_floor(index, key, &above);
    int64_t down = key, up = (int64_t)key + 1;
    while (down >= 0 && !present[down])
        down--;
    while (up < KEYS && !present[up])
        up++;
    assert_ptr_equal(below, down >= 0 ? &values[down] : NULL);
    assert_ptr_equal(above, up < KEYS ? &values[up] : NULL);
}

static void an_empty_index_finds_nothing(void **state)
{
    (void)state;
    nw_index_t index = {0};
    check(&index, 5);
    insert(&index, 5);
    check(&index, 4);
    check(&index, 5);
    check(&index, 6);
    take_out(&index, 5);
    check(&index, 5);
    assert_null(index.root);
    nw_index_destroy(&index);
}

typedef struct visits {
    int64_t last;
    uint32_t n;
} visits_t;

static void note_visit(void *of, uintptr_t key, void *value)
{
    visits_t *visits = of;
    assert_true((int64_t)key > visits->last);
    assert_true(present[key]);
    assert_ptr_equal(value, &values[key]);
    *visits = (visits_t){.last = (int64_t)key, .n = visits->n + 1};
}

static void check_visits(const nw_index_t *index, uint32_t n)
{
    visits_t visits = {.last = -1};
    nw_index_visit(index, note_visit, &visits);
    assert_int_equal(visits.n, n);
}

/* Inserts all keys in an order, looks, and takes them out in another. */
static void fill_and_empty(uint32_t step_in, uint32_t step_out)
{
    nw_index_t index = {0};
    for (uint32_t i = 0, key = 0; i < KEYS; i++, key = (key + step_in) % KEYS) {
        insert(&index, key);
        if (i % 64 == 0)
            check(&index, (key * 7) % KEYS);
    }
    for (uint32_t key = 0; key < KEYS; key += 3)
        check(&index, key);
    check_visits(&index, KEYS);
    for (uint32_t i = 0, key = 0; i < KEYS; i++, key = (key + step_out) % KEYS) {
        take_out(&index, key);
        if (i % 64 == 0 && i < KEYS - 200)
            check(&index, (key * 7) % KEYS);
        if (i + 1 == KEYS / 2)
            check_visits(&index, KEYS - KEYS / 2);
    }
    assert_null(index.root);
    check_visits(&index, 0);
    assert_int_equal(index.height, 0);
    nw_index_destroy(&index);
}

static void keys_in_any_order_come_and_go(void **state)
{
    (void)state;
    fill_and_empty(1, 1);
    fill_and_empty(1, KEYS - 1);
    fill_and_empty(KEYS - 1, 1);
    fill_and_empty(7919, 7919);
    fill_and_empty(7919, 1);
    fill_and_empty(1, 7919);
}

static void random_operations_agree(void **state)
{
    (void)state;
    nw_index_t index = {0};
    uint64_t random = 7;
    for (int step = 0; step < 200000; step++) {
        /* Grows and shrinks in turn. */
        bool grow = random_below(&random, 100) < (step / 25000 % 2 ? 30u : 70u);
        uint32_t key = random_below(&random, KEYS);
        if (grow && !present[key])
            insert(&index, key);
        else if (!grow && present[key])
            take_out(&index, key);
        if (step % 8 == 0)
            check(&index, random_below(&random, KEYS));
    }
    for (uint32_t key = 0; key < KEYS; key++) {
        if (present[key])
            take_out(&index, key);
    }
    assert_null(index.root);
    nw_index_destroy(&index);
}

static void a_steady_index_takes_no_more_memory(void **state)
{
    (void)state;
    nw_index_t index = {0};
    for (uint32_t key = 0; key < KEYS; key += 2)
        insert(&index, key);
    for (int round = 0; round < 3; round++) {
        const struct nw_slab *slabs = index.slabs;
        for (uint32_t key = 1; key < KEYS; key += 2)
            insert(&index, key);
        for (uint32_t key = 1; key < KEYS; key += 2)
            take_out(&index, key);
        if (round > 0)
            assert_ptr_equal(index.slabs, slabs);
    }
    nw_index_destroy(&index);
    memset(present, 0, sizeof present);
}

/* A million keys are four levels: a search reads a node of each. */
static void a_large_index_is_low(void **state)
{
    (void)state;
    enum { MANY = 1000000 };
    nw_index_t index = {0};
    for (uint32_t i = 0, key = 0; i < MANY; i++, key = (key + 15485863) % MANY) {
        assert_true(nw_index_reserve(&index));
        nw_index_insert(&index, key, values);
    }
    assert_true(index.height <= 5);
    nw_index_destroy(&index);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_index_finds_nothing), cmocka_unit_test(keys_in_any_order_come_and_go),
        cmocka_unit_test(random_operations_agree),      cmocka_unit_test(a_steady_index_takes_no_more_memory),
        cmocka_unit_test(a_large_index_is_low),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
