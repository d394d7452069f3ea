/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was learnt of a task's entry is remembered, by several threads at once, and forgotten by nobody. */
#include <pthread.h>

#include "support/harness.h"
#include "tasking/entry_kinds.h"

/* Addresses that no entry has; nobody calls them. */
static nowait_task_entry_t entry(uintptr_t i)
{
    return (nowait_task_entry_t)(0x10000 + 16 * i);
}

static void an_entry_is_unknown_until_it_is_learnt(void **state)
{
    (void)state;
    assert_int_equal(nw_entry_kind_get(entry(1)), NW_ENTRY_UNKNOWN);
    nw_entry_kind_learn(entry(1), NW_ENTRY_DISPATCHES);
    nw_entry_kind_learn(entry(2), NW_ENTRY_HOST_ONLY);
    assert_int_equal(nw_entry_kind_get(entry(1)), NW_ENTRY_DISPATCHES);
    assert_int_equal(nw_entry_kind_get(entry(2)), NW_ENTRY_HOST_ONLY);
    assert_int_equal(nw_entry_kind_get(entry(3)), NW_ENTRY_UNKNOWN);
    nw_entry_kind_learn(entry(1), NW_ENTRY_REDUCES);
    assert_int_equal(nw_entry_kind_get(entry(1)), NW_ENTRY_REDUCES);
}

/* As compilers that optimise for size leave them. */
static void entries_need_no_alignment(void **state)
{
    (void)state;
    for (uintptr_t i = 0; i < 16; i++)
        nw_entry_kind_learn((nowait_task_entry_t)(0x20000 + i), i % 2 ? NW_ENTRY_HOST_ONLY : NW_ENTRY_CAPTURES);
    for (uintptr_t i = 0; i < 16; i++)
        assert_int_equal(nw_entry_kind_get((nowait_task_entry_t)(0x20000 + i)),
                         i % 2 ? NW_ENTRY_HOST_ONLY : NW_ENTRY_CAPTURES);
}

enum { EACH = 700, FIRST = 1000 };

static void *learn_some(void *argument)
{
    uintptr_t first = FIRST + (uintptr_t)argument * EACH / 2; /* ranges overlap */
    for (uintptr_t i = first; i < first + EACH; i++)
        nw_entry_kind_learn(entry(i), i % 2 ? NW_ENTRY_DISPATCHES : NW_ENTRY_HOST_ONLY);
    for (uintptr_t i = first; i < first + EACH; i++)
        assert_int_equal(nw_entry_kind_get(entry(i)), i % 2 ? NW_ENTRY_DISPATCHES : NW_ENTRY_HOST_ONLY);
    return NULL;
}

static void threads_learn_side_by_side(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, learn_some, (void *)i), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void a_full_table_leaves_the_rest_unknown(void **state)
{
    (void)state;
    uintptr_t n = 20000, known = 0;
    for (uintptr_t i = 10000; i < 10000 + n; i++)
        nw_entry_kind_learn(entry(i), NW_ENTRY_DISPATCHES);
    for (uintptr_t i = 10000; i < 10000 + n; i++) {
        nw_entry_kind_t kind = nw_entry_kind_get(entry(i));
        assert_true(kind == NW_ENTRY_DISPATCHES || kind == NW_ENTRY_UNKNOWN);
        known += kind == NW_ENTRY_DISPATCHES;
    }
    assert_true(known > 1000 && known < n);
    assert_int_equal(nw_entry_kind_get(entry(2)), NW_ENTRY_HOST_ONLY);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_is_unknown_until_it_is_learnt),
        cmocka_unit_test(entries_need_no_alignment),
        cmocka_unit_test(threads_learn_side_by_side),
        cmocka_unit_test(a_full_table_leaves_the_rest_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
