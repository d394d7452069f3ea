/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a tool is told about operations, with callbacks in the place of libomp's. Works finish when the test says so. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/map_types.h"
#include "core/tool.h"
#include "support/fake_device.h"
#include "support/harness.h"

#if __has_include(<omp-tools.h>)
#include <omp-tools.h>
#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #b)
SAME(NW_OMPT_BEGIN, ompt_scope_begin);
SAME(NW_OMPT_END, ompt_scope_end);
SAME(NW_OMPT_BEGIN_END, ompt_scope_beginend);
SAME(NW_OMPT_TARGET, ompt_target);
SAME(NW_OMPT_ENTER_DATA, ompt_target_enter_data);
SAME(NW_OMPT_EXIT_DATA, ompt_target_exit_data);
SAME(NW_OMPT_UPDATE, ompt_target_update);
SAME(NW_OMPT_TARGET + NW_OMPT_NOWAIT, ompt_target_nowait);
SAME(NW_OMPT_ENTER_DATA + NW_OMPT_NOWAIT, ompt_target_enter_data_nowait);
SAME(NW_OMPT_EXIT_DATA + NW_OMPT_NOWAIT, ompt_target_exit_data_nowait);
SAME(NW_OMPT_UPDATE + NW_OMPT_NOWAIT, ompt_target_update_nowait);
SAME(NW_OMPT_ALLOC, ompt_target_data_alloc);
SAME(NW_OMPT_TO_DEVICE, ompt_target_data_transfer_to_device);
SAME(NW_OMPT_FROM_DEVICE, ompt_target_data_transfer_from_device);
SAME(NW_OMPT_DELETE, ompt_target_data_delete);
SAME(NW_OMPT_ASSOCIATE, ompt_target_data_associate);
SAME(NW_OMPT_DISASSOCIATE, ompt_target_data_disassociate);
SAME(NW_OMPT_MAP_TO, ompt_target_map_flag_to);
SAME(NW_OMPT_MAP_FROM, ompt_target_map_flag_from);
SAME(NW_OMPT_MAP_ALLOC, ompt_target_map_flag_alloc);
SAME(NW_OMPT_MAP_RELEASE, ompt_target_map_flag_release);
SAME(NW_OMPT_MAP_DELETE, ompt_target_map_flag_delete);
SAME(NW_OMPT_MAP_IMPLICIT, ompt_target_map_flag_implicit);
#define SAME_NUMBER(name, number, parameters) SAME(number, ompt_callback_##name);
NW_OMPT_CALLBACKS(SAME_NUMBER)
_Static_assert(sizeof(nw_ompt_data_t) == sizeof(ompt_data_t), "ompt_data_t");
_Static_assert(sizeof(nw_ompt_start_t) == sizeof(ompt_start_tool_result_t), "ompt_start_tool_result_t");
_Static_assert(offsetof(nw_ompt_start_t, finalize) == offsetof(ompt_start_tool_result_t, finalize), "finalize");
#endif

enum { N = 16, BYTES = N * sizeof(int), TOFROM = NW_MAP_TO | NW_MAP_FROM };

static fake_device_t fake;
static int x[N], y[N];

/* What was told, a word for each, with its bytes; "/" before ends. */
static char told[512];
static nw_ompt_data_t task, target_task, *last_target;
static uint64_t ids, last_host_op_id;
static size_t blocks_at_delete[2];
static int last_kind;
static const void *last_codeptr;
static void *last_alloc;
static nw_op_t *watched; /* must not be over when its end is told */

static void tell(const char *word, int scope)
{
    size_t length = strlen(told);
    snprintf(told + length, sizeof told - length, "%s%s%s", length ? " " : "", scope == NW_OMPT_END ? "/" : "", word);
}

static void on_target_emi(int kind, int scope, int device, nw_ompt_data_t *a_task, nw_ompt_data_t *a_target_task,
                          nw_ompt_data_t *target, const void *codeptr)
{
    assert_int_equal(device, fake.core.base.number);
    assert_ptr_equal(a_task, &task);
    assert_non_null(a_target_task);
    if (scope == NW_OMPT_BEGIN) {
        assert_int_equal(target->value, 0);
        target->value = ++ids;
    } else {
        assert_int_not_equal(target->value, 0);
    }
    last_target = target;
    last_kind = kind;
    last_codeptr = codeptr;
    if (scope == NW_OMPT_END && watched)
        assert_int_not_equal(nw_op_state(watched), NW_OP_DONE);
    tell("target", scope);
}

static void on_data_op_emi(int scope, nw_ompt_data_t *a_target_task, nw_ompt_data_t *target, uint64_t *host_op_id,
                           int op, void *from, int from_device, void *to, int to_device, size_t bytes,
                           const void *codeptr)
{
    static const char *const words[] = {"", "alloc", "in", "out", "delete", "associate", "disassociate"};
    char word[64];
    (void)from_device, (void)to_device, (void)codeptr, (void)a_target_task, (void)target;
    if (scope != NW_OMPT_END) {
        assert_int_equal(*host_op_id, 0);
        *host_op_id = last_host_op_id = ++ids;
    } else {
        assert_int_equal(*host_op_id, last_host_op_id);
    }
    if (op == NW_OMPT_ALLOC && scope == NW_OMPT_END) {
        assert_non_null(to);
        last_alloc = to;
    }
    if (op == NW_OMPT_DELETE) {
        assert_ptr_equal(from, last_alloc);
        blocks_at_delete[scope == NW_OMPT_END] = fake.blocks_live;
    }
    snprintf(word, sizeof word, "%s%zu", words[op], bytes);
    tell(word, scope);
}

static void on_submit_emi(int scope, nw_ompt_data_t *target, uint64_t *host_op_id, unsigned teams)
{
    (void)target, (void)host_op_id, (void)teams;
    tell("submit", scope);
}

static nw_ompt_data_t *task_data(void)
{
    return &task;
}

static nw_ompt_data_t *target_task_data(void)
{
    return &target_task;
}

static _Atomic int threads_known;

static void know_thread(void)
{
    threads_known++;
}

static const nw_tool_callbacks_t all = {.target_emi = on_target_emi,
                                        .target_data_op_emi = on_data_op_emi,
                                        .target_submit_emi = on_submit_emi,
                                        .task_data = task_data,
                                        .target_task_data = target_task_data,
                                        .know_thread = know_thread};

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    told[0] = 0;
    watched = NULL;
    nw_tool_attach(&all);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    nw_tool_detach();
    fake_device_destroy(&fake);
    return 0;
}

static void nothing(const nw_launch_t *launch)
{
    (void)launch;
}

static void a_waiting_region_is_told_in_the_order_of_its_work(void **state)
{
    (void)state;
    construct_t region = {0};
    construct_map(&region, x, BYTES, TOFROM | NW_MAP_TARGET_PARAM);
    nw_tool_self.caller = x;
    construct_run_now(&fake, &region, NW_TARGET, nothing);
    assert_string_equal(told, "target alloc64 /alloc64 in64 /in64 submit /submit out64 /out64 delete64 /delete64 "
                              "/target");
    assert_int_equal(last_kind, NW_OMPT_TARGET);
    assert_ptr_equal(last_codeptr, x);
}

static void a_deferred_region_ends_when_it_is_finished(void **state)
{
    (void)state;
    watched = submit_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
    assert_string_equal(told, "target alloc64 /alloc64");
    nw_ompt_data_t *begun = last_target;
    uint64_t id = begun->value;
    fake_finish(&fake, watched);
    assert_string_equal(told, "target alloc64 /alloc64 in64 /in64 submit /submit out64 /out64 delete64 /delete64 "
                              "/target");
    assert_int_equal(last_kind, NW_OMPT_TARGET + NW_OMPT_NOWAIT);
    assert_ptr_equal(last_target, begun);
    assert_int_equal(last_target->value, id);
    op_free(watched);
}

static void memory_is_freed_between_begin_and_end_of_its_deletion(void **state)
{
    (void)state;
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
    assert_int_equal(blocks_at_delete[0], 1);
    assert_int_equal(blocks_at_delete[1], 0);
}

/* The mapping leaves with the exit construct, but its memory with the last region that uses it. */
static void the_last_user_tells_the_deletion(void **state)
{
    (void)state;
    run_one(&fake, NW_DATA_BEGIN, x, BYTES, NW_MAP_TO, NULL);
    nw_op_t *region = submit_one(&fake, NW_TARGET, x, BYTES, 0, nothing);
    told[0] = 0;
    nw_op_t *leave = submit_one(&fake, NW_DATA_END, x, BYTES, 0, NULL);
    assert_string_equal(told, "target /target");
    op_free(leave);
    fake_finish(&fake, region);
    assert_string_equal(told, "target /target submit /submit delete64 /delete64 /target");
    op_free(region);
}

static void data_that_is_present_is_not_allocated_again(void **state)
{
    (void)state;
    run_one(&fake, NW_DATA_BEGIN, x, BYTES, NW_MAP_TO, NULL);
    assert_string_equal(told, "target alloc64 /alloc64 in64 /in64 /target");
    assert_int_equal(last_kind, NW_OMPT_ENTER_DATA + NW_OMPT_NOWAIT);
    told[0] = 0;
    run_one(&fake, NW_DATA_UPDATE, x, BYTES, NW_MAP_FROM, NULL);
    assert_string_equal(told, "target out64 /out64 /target");
    told[0] = 0;
    run_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_FROM, NULL);
    assert_string_equal(told, "target out64 /out64 delete64 /delete64 /target");
}

/* Two entries for parts of one mapping make two steps: one allocation, and a transfer for each. */
static void a_mapping_of_several_entries_is_allocated_once(void **state)
{
    (void)state;
    construct_t both = {0};
    construct_map(&both, x, BYTES, 0);
    construct_add(&both, x, x, 8, NW_MAP_TO | MEMBER_OF(0));
    construct_add(&both, x, x + 4, 12, NW_MAP_TO | MEMBER_OF(0));
    run_construct(&fake, &both, NW_DATA_BEGIN, NULL);
    assert_string_equal(told, "target alloc64 /alloc64 in8 /in8 in12 /in12 /target");
    run_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_DELETE, NULL);
}

static void a_private_variable_is_told_when_it_is_copied(void **state)
{
    (void)state;
    nw_op_t *op = submit_one(&fake, NW_TARGET, y, BYTES, NW_MAP_PRIVATE | NW_MAP_TO, nothing);
    assert_string_equal(told, "target alloc64 /alloc64 in64 /in64");
    fake_finish(&fake, op);
    assert_string_equal(told, "target alloc64 /alloc64 in64 /in64 submit /submit delete64 /delete64 /target");
    op_free(op);
}

/* A transfer with an attached pointer in its middle is one transfer. */
static void a_copy_in_pieces_is_one_transfer(void **state)
{
    (void)state;
    static void *object[4];
    object[1] = y;
    construct_t enter = {0};
    construct_map(&enter, object, sizeof object, NW_MAP_TO);
    construct_add(&enter, &object[1], y, BYTES, NW_MAP_PTR_AND_OBJ | NW_MAP_TO | MEMBER_OF(0));
    run_construct(&fake, &enter, NW_DATA_BEGIN, NULL);
    told[0] = 0;
    run_one(&fake, NW_DATA_UPDATE, object, sizeof object, NW_MAP_FROM, NULL);
    assert_string_equal(told, "target out32 /out32 /target");
    last_alloc = fake_mapping(&fake, y)->device;
    run_one(&fake, NW_DATA_END, y, BYTES, NW_MAP_DELETE, NULL);
    last_alloc = fake_mapping(&fake, object)->device;
    run_one(&fake, NW_DATA_END, object, sizeof object, NW_MAP_DELETE, NULL);
}

static void an_operation_that_waits_tells_its_allocation_first(void **state)
{
    (void)state;
    run_one(&fake, NW_DATA_BEGIN, x, BYTES, NW_MAP_TO, NULL);
    told[0] = 0;
    nw_op_t *first = submit_one(&fake, NW_DATA_UPDATE, x, BYTES, NW_MAP_TO, NULL);
    nw_op_t *second = submit_one(&fake, NW_TARGET, y, BYTES, TOFROM, nothing);
    assert_string_equal(told, "target target alloc64 /alloc64");
    fake_finish_all(&fake);
    op_free(first);
    op_free(second);
    last_alloc = fake_mapping(&fake, x)->device;
    run_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_DELETE, NULL);
}

static uint64_t old_target[2];
static int n_old;

static void on_target(int kind, int scope, int device, nw_ompt_data_t *a_task, uint64_t target_id, const void *codeptr)
{
    (void)kind, (void)scope, (void)device, (void)a_task, (void)codeptr;
    assert_true(n_old < 2);
    old_target[n_old++] = target_id;
}

static void on_data_op(uint64_t target_id, uint64_t host_op_id, int op, void *from, int from_device, void *to,
                       int to_device, size_t bytes, const void *codeptr)
{
    (void)from, (void)from_device, (void)to_device, (void)bytes, (void)codeptr;
    assert_int_equal(target_id, old_target[0]);
    assert_int_not_equal(host_op_id, 0);
    if (op == NW_OMPT_ALLOC)
        assert_non_null(to);
    tell(op == NW_OMPT_ALLOC ? "alloc" : op == NW_OMPT_DELETE ? "delete" : "copy", NW_OMPT_BEGIN);
}

static void the_older_callbacks_get_ids_and_hear_once(void **state)
{
    (void)state;
    nw_tool_callbacks_t old = {.target = on_target,
                               .target_data_op = on_data_op,
                               .task_data = task_data,
                               .target_task_data = target_task_data,
                               .know_thread = know_thread};
    nw_tool_attach(&old);
    n_old = 0;
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
    assert_int_equal(n_old, 2);
    assert_int_not_equal(old_target[0], 0);
    assert_int_equal(old_target[0], old_target[1]);
    assert_string_equal(told, "alloc copy copy delete");
}

static void with_both_kinds_only_the_newer_are_called(void **state)
{
    (void)state;
    nw_tool_callbacks_t both = all;
    both.target = on_target;
    both.target_data_op = on_data_op;
    nw_tool_attach(&both);
    n_old = 0;
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
    assert_int_equal(n_old, 0);
    assert_non_null(strstr(told, "alloc64"));
}

static unsigned n_maps, map_flags[64];
static size_t map_bytes[64];
static void *last_alloc_of_x; /* when it is on its way out */

static void on_map_emi(nw_ompt_data_t *target, unsigned n, void **host, void **device, size_t *bytes, unsigned *flags,
                       const void *codeptr)
{
    (void)codeptr;
    assert_ptr_equal(target, last_target);
    for (unsigned i = 0; i < n; i++) {
        assert_ptr_equal(host[i], x);
        assert_ptr_equal(device[i], last_alloc_of_x ? last_alloc_of_x : fake_mapping(&fake, x)->device);
        map_flags[n_maps] = flags[i];
        map_bytes[n_maps++] = bytes[i];
    }
}

/* More than fit into one call's arrays. */
static void every_map_is_told(void **state)
{
    (void)state;
    nw_tool_callbacks_t maps = all;
    maps.target_map_emi = on_map_emi;
    nw_tool_attach(&maps);
    construct_t enter = {0};
    n_maps = 0;
    construct_map(&enter, x, BYTES, NW_MAP_IMPLICIT);
    for (size_t i = 1; i < 48; i++)
        construct_add(&enter, x, x, i, NW_MAP_TO | MEMBER_OF(0));
    run_construct(&fake, &enter, NW_DATA_BEGIN, NULL);
    assert_int_equal(n_maps, 48);
    assert_int_equal(map_flags[0], NW_OMPT_MAP_ALLOC | NW_OMPT_MAP_IMPLICIT);
    for (size_t i = 1; i < 48; i++) {
        assert_int_equal(map_flags[i], NW_OMPT_MAP_TO);
        assert_int_equal(map_bytes[i], i);
    }
    last_alloc_of_x = last_alloc;
    run_one(&fake, NW_DATA_END, x, BYTES, NW_MAP_DELETE, NULL);
    last_alloc_of_x = NULL;
    assert_int_equal(n_maps, 49);
    assert_int_equal(map_flags[48], NW_OMPT_MAP_DELETE);
}

static void a_tool_without_these_callbacks_is_not_attached(void **state)
{
    (void)state;
    nw_tool_detach();
    nw_tool_callbacks_t none = {.task_data = task_data, .target_task_data = target_task_data};
    nw_tool_attach(&none);
    assert_false(nw_tool_attached());
    nw_op_t *op = submit_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
    assert_null(op->work.tool);
    fake_finish(&fake, op);
    op_free(op);
    assert_string_equal(told, "");
}

/* Detached while one of its callbacks runs on another thread, and by a callback. */
static _Atomic int inside, leave_callback, left;

static void on_slow_submit(int scope, nw_ompt_data_t *target, uint64_t *host_op_id, unsigned teams)
{
    (void)target, (void)host_op_id, (void)teams;
    if (scope != NW_OMPT_BEGIN)
        return;
    inside = 1;
    while (!leave_callback)
        usleep(100);
    left = 1;
}

static void *finish_pending(void *op)
{
    fake_finish(&fake, op);
    return NULL;
}

static void *let_go(void *unused)
{
    (void)unused;
    usleep(20000);
    assert_int_equal(left, 0);
    leave_callback = 1;
    return NULL;
}

static void detaching_waits_for_a_callback_in_progress(void **state)
{
    (void)state;
    nw_tool_callbacks_t slow = all;
    slow.target_submit_emi = on_slow_submit;
    nw_tool_attach(&slow);
    nw_op_t *op = submit_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
    pthread_t finisher, other;
    int known = threads_known;
    pthread_create(&finisher, NULL, finish_pending, op);
    while (!inside)
        usleep(100);
    assert_int_equal(threads_known, known + 1);
    pthread_create(&other, NULL, let_go, NULL);
    nw_tool_detach();
    assert_int_equal(left, 1);
    pthread_join(finisher, NULL);
    pthread_join(other, NULL);
    /* Nothing after the callback that was in progress. */
    assert_string_equal(told, "target alloc64 /alloc64 in64 /in64");
    op_free(op);
}

static void on_submit_that_detaches(int scope, nw_ompt_data_t *target, uint64_t *host_op_id, unsigned teams)
{
    (void)scope, (void)target, (void)host_op_id, (void)teams;
    nw_tool_detach();
}

static void a_callback_may_detach(void **state)
{
    (void)state;
    nw_tool_callbacks_t detaching = all;
    detaching.target_submit_emi = on_submit_that_detaches;
    nw_tool_attach(&detaching);
    run_one(&fake, NW_TARGET, x, BYTES, TOFROM, nothing);
    assert_string_equal(told, "target alloc64 /alloc64 in64 /in64");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(a_waiting_region_is_told_in_the_order_of_its_work),
        TEST(a_deferred_region_ends_when_it_is_finished),
        TEST(memory_is_freed_between_begin_and_end_of_its_deletion),
        TEST(the_last_user_tells_the_deletion),
        TEST(data_that_is_present_is_not_allocated_again),
        TEST(a_mapping_of_several_entries_is_allocated_once),
        TEST(a_private_variable_is_told_when_it_is_copied),
        TEST(a_copy_in_pieces_is_one_transfer),
        TEST(an_operation_that_waits_tells_its_allocation_first),
        TEST(the_older_callbacks_get_ids_and_hear_once),
        TEST(with_both_kinds_only_the_newer_are_called),
        TEST(every_map_is_told),
        TEST(a_tool_without_these_callbacks_is_not_attached),
        TEST(detaching_waits_for_a_callback_in_progress),
        TEST(a_callback_may_detach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
