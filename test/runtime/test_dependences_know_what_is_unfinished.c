/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of dependences: "nothing unfinished" is only said when that is so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tasking/dependences.h"

#define READ(address) {.base = (intptr_t)(address), .flags = NW_DEPEND_IN}
#define WRITE(address) {.base = (intptr_t)(address), .flags = NW_DEPEND_INOUT}
#define EXCLUSIVE(address) {.base = (intptr_t)(address), .flags = NW_DEPEND_MUTEXINOUTSET}
#define DEPS(...) ((struct nowait_depend_info[]){__VA_ARGS__})
#define ENTER(named, ...)                                                                                              \
    nw_dependences_enter(named, sizeof DEPS(__VA_ARGS__) / sizeof(struct nowait_depend_info), DEPS(__VA_ARGS__))

/* Neighbours: addresses this close never share a place by accident. */
static char memory[NW_MOST_NAMED + 1];
static int parent, other_parent;

static void a_writer_waits_for_readers_and_writers(void **state)
{
    (void)state;
    nw_named_t reader = {0}, writer = {0};
    assert_true(ENTER(&reader, READ(&memory[0])));
    assert_false(ENTER(&writer, WRITE(&memory[0])));
    nw_dependences_leave(&writer);
    nw_dependences_leave(&reader);
    assert_true(ENTER(&writer, WRITE(&memory[0])));
    assert_false(ENTER(&reader, EXCLUSIVE(&memory[0])));
    nw_dependences_leave(&writer);
    nw_dependences_leave(&reader);
}

static void readers_run_together(void **state)
{
    (void)state;
    nw_named_t first = {0}, second = {0}, writer = {0};
    assert_true(ENTER(&first, READ(&memory[0])));
    assert_true(ENTER(&second, READ(&memory[0])));
    assert_true(ENTER(&writer, WRITE(&memory[1])));
    nw_dependences_leave(&first);
    nw_dependences_leave(&second);
    assert_false(ENTER(&first, READ(&memory[0]), READ(&memory[1])));
    nw_dependences_leave(&writer);
    nw_dependences_leave(&first);
}

static void all_memory_orders_after_and_before_everything(void **state)
{
    (void)state;
    struct nowait_depend_info marks[] = {{.base = 0, .flags = NW_DEPEND_ALL_MEMORY},
                                         {.base = -1, .flags = NW_DEPEND_INOUT}};
    for (int i = 0; i < 2; i++) {
        nw_named_t all = {0}, reader = {0};
        assert_false(nw_dependences_enter(&all, 1, &marks[i]));
        assert_false(ENTER(&reader, READ(&memory[0])));
        nw_dependences_leave(&all);
        nw_dependences_leave(&reader);
        assert_true(ENTER(&reader, READ(&memory[0])));
        nw_dependences_leave(&reader);
    }
}

static void more_dependences_than_are_looked_up_count_as_all(void **state)
{
    (void)state;
    struct nowait_depend_info many[NW_MOST_NAMED + 1];
    for (int i = 0; i <= NW_MOST_NAMED; i++)
        many[i] = (struct nowait_depend_info)READ(&memory[i]);
    nw_named_t most = {0}, too_many = {0}, other = {0};
    assert_true(nw_dependences_enter(&most, NW_MOST_NAMED, many));
    assert_false(nw_dependences_enter(&too_many, NW_MOST_NAMED + 1, many));
    assert_false(ENTER(&other, READ(&memory[0])));
    nw_dependences_leave(&too_many);
    nw_dependences_leave(&most);
    nw_dependences_leave(&other);
    assert_true(nw_dependences_enter(&most, NW_MOST_NAMED, many));
    nw_dependences_leave(&most);
}

static void a_host_task_counts_until_its_parent_has_waited(void **state)
{
    (void)state;
    struct nowait_depend_info dep[] = {WRITE(&memory[0])};
    nw_named_t region = {0};
    nw_dependences_note_host(&parent, 1, dep);
    nw_dependences_note_host(&parent, 1, dep);
    assert_false(ENTER(&region, READ(&memory[0])));
    nw_dependences_leave(&region);
    /* A task that runs inside the parent's wait waits for its own children. */
    nw_dependences_waited(&other_parent);
    assert_false(ENTER(&region, READ(&memory[0])));
    nw_dependences_leave(&region);
    nw_dependences_waited(&parent);
    assert_true(ENTER(&region, READ(&memory[0])));
    nw_dependences_leave(&region);
}

static void host_tasks_of_two_parents_are_forgotten_with_their_thread(void **state)
{
    (void)state;
    struct nowait_depend_info deps[] = {WRITE(&memory[0]), WRITE(&memory[1])};
    nw_named_t region = {0};
    nw_dependences_note_host(&parent, 1, &deps[0]);
    nw_dependences_note_host(&other_parent, 1, &deps[1]);
    nw_dependences_waited(&other_parent);
    nw_dependences_waited(&parent);
    assert_false(ENTER(&region, READ(&memory[0])));
    nw_dependences_leave(&region);
    assert_false(ENTER(&region, READ(&memory[1])));
    nw_dependences_leave(&region);
    nw_dependences_thread_ends();
    assert_true(ENTER(&region, WRITE(&memory[0]), WRITE(&memory[1])));
    nw_dependences_leave(&region);
    /* The thread may go on. */
    nw_dependences_note_host(&parent, 1, deps);
    nw_dependences_waited(&parent);
    assert_true(ENTER(&region, WRITE(&memory[0])));
    nw_dependences_leave(&region);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_writer_waits_for_readers_and_writers),
        cmocka_unit_test(readers_run_together),
        cmocka_unit_test(all_memory_orders_after_and_before_everything),
        cmocka_unit_test(more_dependences_than_are_looked_up_count_as_all),
        cmocka_unit_test(a_host_task_counts_until_its_parent_has_waited),
        cmocka_unit_test(host_tasks_of_two_parents_are_forgotten_with_their_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
