/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The graph of dependences: who follows whom, when a node is decided and started, and that what is over goes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/harness.h"
#include "tasking/graph.h"

enum { IN = NW_DEPEND_IN, OUT = NW_DEPEND_INOUT, SET = NW_DEPEND_INOUTSET, MUTEX = NW_DEPEND_MUTEXINOUTSET };

/* What has happened to a node, by its `task`. */
typedef struct told {
    int decided, started;
} told_t;

static char a, b, many[1000];

static void note_decision(nw_node_t *node)
{
    ((told_t *)node->task)->decided++;
}

static void note_start(nw_node_t *node)
{
    ((told_t *)node->task)->started++;
}

static int set_up(void **state)
{
    (void)state;
    nw_graph_set_calls(&(nw_graph_calls_t){.decide = note_decision, .start = note_start});
    return 0;
}

/* A graph that no other test has used. */
static nw_graph_t *new_graph(void)
{
    static char tasks[64][64];
    static int n;
    nw_graph_t *graph = nw_graph_of(tasks[n++]);
    assert_non_null(graph);
    return graph;
}

static nw_node_t *enter_list(nw_graph_t *graph, nw_node_kind_t kind, told_t *told, int32_t n,
                             struct nowait_depend_info *list)
{
    nw_node_t *node = nw_graph_enter(graph, kind, &(nw_dependence_lists_t){.n = n, .list = list}, NULL);
    assert_non_null(node);
    node->task = told;
    nw_graph_entered(node);
    return node;
}

static nw_node_t *enter(nw_graph_t *graph, nw_node_kind_t kind, told_t *told, const void *address, uint8_t how)
{
    struct nowait_depend_info dep = {.base = (intptr_t)address, .length = 1, .flags = how};
    return enter_list(graph, kind, told, 1, &dep);
}

static unsigned look(nw_graph_t *graph, const void *address, uint8_t how)
{
    struct nowait_depend_info dep = {.base = (intptr_t)address, .length = 1, .flags = how};
    return nw_graph_look(graph, &(nw_dependence_lists_t){.n = 1, .list = &dep});
}

static void test_a_region_is_decided_at_once_and_starts_when_what_it_follows_is_over(void **state)
{
    (void)state;
    nw_graph_t *graph = new_graph();
    told_t first = {0}, second = {0}, third = {0};
    nw_node_t *one = enter(graph, NW_NODE_REGION, &first, &a, OUT);
    assert_true(first.decided == 1 && first.started == 1);
    nw_node_t *two = enter(graph, NW_NODE_REGION, &second, &a, OUT);
    nw_node_t *three = enter(graph, NW_NODE_REGION, &third, &b, OUT);
    assert_true(second.decided == 1 && second.started == 0);
    assert_int_equal(third.started, 1);
    nw_node_over(one);
    assert_int_equal(second.started, 1);
    nw_node_over(two);
    nw_node_over(three);
    assert_int_equal(look(graph, &a, OUT), 0);
}

static void test_readers_and_sets_run_together_and_writers_alone(void **state)
{
    (void)state;
    const uint8_t kinds[] = {IN, SET};
    for (size_t k = 0; k < 2; k++) {
        nw_graph_t *graph = new_graph();
        told_t told[5] = {{0}};
        nw_node_t *nodes[5];
        nodes[0] = enter(graph, NW_NODE_REGION, &told[0], &a, OUT);
        nodes[1] = enter(graph, NW_NODE_REGION, &told[1], &a, kinds[k]);
        nodes[2] = enter(graph, NW_NODE_REGION, &told[2], &a, kinds[k]);
        nodes[3] = enter(graph, NW_NODE_REGION, &told[3], &a, kinds[1 - k]);
        nodes[4] = enter(graph, NW_NODE_REGION, &told[4], &a, OUT);
        assert_true(!told[1].started && !told[2].started);
        nw_node_over(nodes[0]);
        assert_true(told[1].started && told[2].started && !told[3].started);
        nw_node_over(nodes[2]);
        assert_int_equal(told[3].started, 0);
        nw_node_over(nodes[1]);
        assert_true(told[3].started && !told[4].started);
        nw_node_over(nodes[3]);
        assert_int_equal(told[4].started, 1);
        nw_node_over(nodes[4]);
    }
}

static void test_a_mutexinoutset_excludes(void **state)
{
    (void)state;
    nw_graph_t *graph = new_graph();
    told_t told[3] = {{0}};
    nw_node_t *one = enter(graph, NW_NODE_REGION, &told[0], &a, MUTEX);
    nw_node_t *two = enter(graph, NW_NODE_REGION, &told[1], &a, MUTEX);
    assert_int_equal(told[1].started, 0);
    nw_node_over(one);
    assert_int_equal(told[1].started, 1);
    /* libomp may run host tasks of a set in any order: who follows the set follows all of them. */
    nw_node_t *host = enter(graph, NW_NODE_HOST, NULL, &a, MUTEX);
    nw_node_t *other_host = enter(graph, NW_NODE_HOST, NULL, &a, MUTEX);
    nw_node_over(other_host);
    nw_node_over(two);
    nw_node_t *last = enter(graph, NW_NODE_REGION, &told[2], &a, OUT);
    assert_int_equal(told[2].decided, 0);
    nw_node_over(host);
    assert_true(told[2].decided && told[2].started);
    nw_node_over(last);
}

static void test_what_follows_a_host_task_is_decided_when_that_is_over_and_in_order(void **state)
{
    (void)state;
    nw_graph_t *graph = new_graph();
    told_t told[3] = {{0}};
    nw_node_t *host = enter(graph, NW_NODE_HOST, NULL, &a, OUT);
    nw_node_t *one = enter(graph, NW_NODE_REGION, &told[0], &a, OUT);
    struct nowait_depend_info deps[] = {{(intptr_t)&a, 1, IN}, {(intptr_t)&b, 1, OUT}};
    nw_node_t *two = enter_list(graph, NW_NODE_CALL, &told[1], 2, deps);
    nw_node_t *three = enter(graph, NW_NODE_REGION, &told[2], &b, IN);
    assert_true(!told[0].decided && !told[2].decided);
    assert_int_equal(look(graph, &b, IN), NW_FOLLOWS_REGION | NW_FOLLOWS_UNDECIDED);
    assert_int_equal(look(graph, &b, OUT), NW_FOLLOWS_REGION | NW_FOLLOWS_UNDECIDED);
    nw_node_over(host);
    assert_true(told[0].decided && told[0].started && told[2].decided && !told[2].started);
    nw_node_over(one);
    assert_true(told[1].started && !told[2].started);
    nw_node_over(two);
    assert_int_equal(told[2].started, 1);
    nw_node_over(three);
}

static void test_all_memory_comes_after_everything_and_before(void **state)
{
    (void)state;
    nw_graph_t *graph = new_graph();
    told_t told[4] = {{0}};
    nw_node_t *one = enter(graph, NW_NODE_REGION, &told[0], &a, IN);
    nw_node_t *two = enter(graph, NW_NODE_REGION, &told[1], &b, OUT);
    struct nowait_depend_info all = {.flags = NW_DEPEND_ALL_MEMORY};
    nw_node_t *three = enter_list(graph, NW_NODE_REGION, &told[2], 1, &all);
    nw_node_t *four = enter(graph, NW_NODE_REGION, &told[3], &many[0], IN);
    nw_node_over(one);
    assert_int_equal(told[2].started, 0);
    nw_node_over(two);
    assert_true(told[2].started && !told[3].started);
    nw_node_over(three);
    assert_int_equal(told[3].started, 1);
    nw_node_over(four);
}

static void test_a_host_task_whose_end_is_not_seen_is_over_when_its_parent_has_waited(void **state)
{
    (void)state;
    static char task[64];
    nw_graph_t *graph = nw_graph_of(task);
    (void)enter(graph, NW_NODE_OPEN_HOST, NULL, &a, OUT);
    assert_true(nw_graph_has_open_hosts(graph));
    assert_int_equal(look(graph, &a, IN), NW_FOLLOWS_OPEN_HOST);
    nw_graph_waited(task);
    assert_false(nw_graph_has_open_hosts(graph));
    assert_int_equal(look(graph, &a, IN), 0);
}

static void test_hundreds_of_dependences_and_the_same_one_twice(void **state)
{
    (void)state;
    nw_graph_t *graph = new_graph();
    told_t told[502] = {{0}};
    nw_node_t *nodes[500];
    struct nowait_depend_info deps[1000];
    for (int i = 0; i < 500; i++) {
        nodes[i] = enter(graph, NW_NODE_REGION, &told[i], &many[i], OUT);
        deps[i] = deps[500 + i] = (struct nowait_depend_info){(intptr_t)&many[i], 1, i % 2 ? IN : OUT};
    }
    nw_node_t *last = enter_list(graph, NW_NODE_REGION, &told[500], 1000, deps);
    for (int i = 0; i < 500; i++) {
        assert_int_equal(told[500].started, 0);
        nw_node_over(nodes[i]);
    }
    assert_int_equal(told[500].started, 1);
    nw_node_over(last);
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A long chain: what its end sets off must not need a stack; and what is over must leave no memory behind. */
static void test_chains_need_no_stack_and_leave_nothing(void **state)
{
    (void)state;
    enum { LENGTH = 200000 };
    nw_graph_t *graph = new_graph();
    told_t *told = calloc(LENGTH, sizeof *told);
    nw_node_t **nodes = calloc(LENGTH, sizeof *nodes);
    assert_true(told && nodes);
    nw_node_t *host = enter(graph, NW_NODE_HOST, NULL, &a, OUT);
    for (int i = 0; i < LENGTH; i++)
        nodes[i] = enter(graph, NW_NODE_REGION, &told[i], &a, OUT);
    nw_node_over(host);
    for (int i = 0; i < LENGTH; i++) {
        assert_true(told[i].decided == 1 && told[i].started == 1);
        nw_node_over(nodes[i]);
    }
    long before = resident_kib();
    for (int i = 0; i < 1000000; i++) {
        told[0] = (told_t){0};
        nw_node_over(enter(graph, NW_NODE_REGION, &told[0], &many[i % 1000], i % 3 ? IN : OUT));
    }
    assert_true(resident_kib() - before < 4096);
    free(told);
    free(nodes);
}

/* Nodes end on other threads while they are followed. */
static nw_node_t *_Atomic to_end[64];
static _Atomic bool no_more;

static void *end_nodes(void *unused)
{
    (void)unused;
    for (bool last = false; !last;) {
        last = atomic_load(&no_more);
        for (int i = 0; i < 64; i++) {
            nw_node_t *node = atomic_exchange(&to_end[i], NULL);
            if (node)
                nw_node_over(node);
        }
    }
    return NULL;
}

static void end_elsewhere(nw_node_t *node)
{
    for (int i = 0;; i = (i + 1) % 64) {
        nw_node_t *none = NULL;
        if (atomic_compare_exchange_strong(&to_end[i], &none, node))
            return;
    }
}

static void test_nodes_end_while_they_are_followed(void **state)
{
    (void)state;
    nw_graph_set_calls(&(nw_graph_calls_t){.decide = note_decision, .start = end_elsewhere});
    pthread_t threads[3];
    atomic_store(&no_more, false);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, end_nodes, NULL), 0);
    nw_graph_t *graph = new_graph();
    told_t told = {0};
    unsigned random = 1;
    for (int i = 0; i < 30000; i++) {
        struct nowait_depend_info deps[3];
        for (int d = 0; d < 3; d++) {
            random = random * 1103515245u + 12345u;
            const uint8_t kinds[] = {IN, OUT, SET, MUTEX};
            deps[d] = (struct nowait_depend_info){(intptr_t)&many[(random >> 16) % 8], 1, kinds[(random >> 24) % 4]};
        }
        (void)enter_list(graph, NW_NODE_REGION, &told, 3, deps);
    }
    struct nowait_depend_info all = {.flags = NW_DEPEND_ALL_MEMORY};
    while (nw_graph_look(graph, &(nw_dependence_lists_t){.n = 1, .list = &all}) != 0)
        continue;
    atomic_store(&no_more, true);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(told.decided, 30000);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_region_is_decided_at_once_and_starts_when_what_it_follows_is_over, set_up),
        cmocka_unit_test_setup(test_readers_and_sets_run_together_and_writers_alone, set_up),
        cmocka_unit_test_setup(test_a_mutexinoutset_excludes, set_up),
        cmocka_unit_test_setup(test_what_follows_a_host_task_is_decided_when_that_is_over_and_in_order, set_up),
        cmocka_unit_test_setup(test_all_memory_comes_after_everything_and_before, set_up),
        cmocka_unit_test_setup(test_a_host_task_whose_end_is_not_seen_is_over_when_its_parent_has_waited, set_up),
        cmocka_unit_test_setup(test_hundreds_of_dependences_and_the_same_one_twice, set_up),
        cmocka_unit_test_setup(test_chains_need_no_stack_and_leave_nothing, set_up),
        cmocka_unit_test_setup(test_nodes_end_while_they_are_followed, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
