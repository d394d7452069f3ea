/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The operation: its states, completion exactly once, waiting for others, and growth beyond its own memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/fake_device.h"
#include "support/harness.h"

static fake_device_t fake;
static _Atomic int n_completed;
static nw_op_t *_Atomic last_completed;

static void note_completed(nw_op_t *op)
{
    assert_int_equal(nw_op_state(op), NW_OP_DONE);
    atomic_fetch_add(&n_completed, 1);
    atomic_store(&last_completed, op);
}

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    atomic_store(&n_completed, 0);
    atomic_store(&last_completed, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    return 0;
}

/* A decided operation without map entries, made by hand. */
static nw_op_t *new_op(bool needs_device)
{
    nw_op_t *op = aligned_alloc(16, (nw_op_size(0) + 15) / 16 * 16);
    assert_non_null(op);
    nw_op_init(op, 0);
    nw_op_begin(op, &fake.core, &test_place);
    op->needs_device = needs_device;
    op->completed = note_completed;
    assert_true(nw_op_move(op, NW_OP_IDLE, NW_OP_SUBMITTED));
    return op;
}

static void wait_for(nw_op_t *op, nw_op_t *other)
{
    nw_map_hold_t hold = nw_map_hold(&fake.core.map, NULL);
    assert_int_equal(nw_op_wait_for(op, other), NW_OK);
    nw_map_release(&fake.core.map, hold);
}

static void states_only_move_forward_step_by_step(void **state)
{
    (void)state;
    for (int from = NW_OP_IDLE; from <= NW_OP_DONE; from++) {
        nw_op_t *op = aligned_alloc(16, (nw_op_size(0) + 15) / 16 * 16);
        assert_non_null(op);
        nw_op_init(op, 0);
        assert_int_equal(nw_op_state(op), NW_OP_IDLE);
        for (int at = NW_OP_IDLE; at < from; at++)
            assert_true(nw_op_move(op, (nw_op_state_t)at, (nw_op_state_t)(at + 1)));
        for (int wrong = NW_OP_IDLE; wrong <= NW_OP_DONE; wrong++) {
            if (wrong != from)
                assert_false(nw_op_move(op, (nw_op_state_t)wrong, NW_OP_DONE));
            assert_int_equal(nw_op_state(op), from);
        }
        free(op);
    }
}

static void an_operation_completes_once_after_its_device_is_done(void **state)
{
    (void)state;
    nw_op_t *op = new_op(true);
    nw_op_submit(op);
    assert_true(fake_is_pending(&fake, op));
    assert_int_equal(nw_op_state(op), NW_OP_SUBMITTED);
    assert_int_equal(atomic_load(&n_completed), 0);
    fake_finish(&fake, op);
    assert_int_equal(nw_op_state(op), NW_OP_DONE);
    assert_int_equal(op->status, NW_OK);
    assert_int_equal(atomic_load(&n_completed), 1);
    op_free(op);
}

static void an_operation_without_device_work_is_done_at_once(void **state)
{
    (void)state;
    nw_op_t *op = new_op(false);
    nw_op_submit(op);
    assert_int_equal(nw_op_state(op), NW_OP_DONE);
    assert_int_equal(fake.n_submitted, 0);
    assert_int_equal(atomic_load(&n_completed), 1);
    op_free(op);
}

/* The last touch of an operation is its `completed`: the owner may free it there. */
static void free_completed(nw_op_t *op)
{
    atomic_fetch_add(&n_completed, 1);
    free(op);
}

static void the_owner_may_free_an_operation_in_its_completion(void **state)
{
    (void)state;
    nw_op_t *first = new_op(true), *second = new_op(true), *third = new_op(false);
    first->completed = second->completed = third->completed = free_completed;
    wait_for(second, first);
    wait_for(third, second);
    nw_op_submit(first);
    nw_op_submit(second);
    nw_op_submit(third);
    fake_finish_all(&fake);
    assert_int_equal(atomic_load(&n_completed), 3);
}

static void a_waiting_operation_starts_when_the_last_blocker_is_over(void **state)
{
    (void)state;
    nw_op_t *a = new_op(true), *b = new_op(true), *op = new_op(true);
    nw_op_submit(a);
    nw_op_submit(b);
    wait_for(op, a);
    wait_for(op, b);
    nw_op_submit(op);
    assert_false(fake_is_pending(&fake, op));
    fake_finish(&fake, b);
    assert_false(fake_is_pending(&fake, op));
    fake_finish(&fake, a);
    assert_true(fake_is_pending(&fake, op));
    fake_finish(&fake, op);
    op_free(a);
    op_free(b);
    op_free(op);
}

static void a_blocker_that_ends_before_the_submission_does_not_start_it(void **state)
{
    (void)state;
    nw_op_t *a = new_op(true), *op = new_op(true);
    nw_op_submit(a);
    wait_for(op, a);
    fake_finish(&fake, a);
    assert_false(fake_is_pending(&fake, op));
    nw_op_submit(op);
    assert_true(fake_is_pending(&fake, op));
    fake_finish(&fake, op);
    op_free(a);
    op_free(op);
}

static void waiting_twice_for_the_same_is_waiting_once(void **state)
{
    (void)state;
    nw_op_t *a = new_op(true), *op = new_op(true);
    nw_op_submit(a);
    for (int i = 0; i < 5; i++)
        wait_for(op, a);
    assert_int_equal(atomic_load(&op->blockers), 2);
    nw_op_submit(op);
    fake_finish(&fake, a);
    fake_finish(&fake, op);
    op_free(a);
    op_free(op);
}

static void an_operation_may_wait_for_more_others_than_it_has_room_for(void **state)
{
    (void)state;
    enum { N = 100 };
    nw_op_t *others[N], *op = new_op(true);
    for (int i = 0; i < N; i++) {
        others[i] = new_op(true);
        nw_op_submit(others[i]);
        wait_for(op, others[i]);
    }
    nw_op_submit(op);
    for (int i = 0; i < N; i++) {
        assert_false(fake_is_pending(&fake, op));
        fake_finish(&fake, others[(i * 37) % N]);
    }
    fake_finish(&fake, op);
    op_free(op);
    for (int i = 0; i < N; i++)
        op_free(others[i]);
}

static void many_may_wait_for_one(void **state)
{
    (void)state;
    enum { N = 100 };
    nw_op_t *ops[N], *one = new_op(true);
    nw_op_submit(one);
    for (int i = 0; i < N; i++) {
        ops[i] = new_op(i % 2);
        wait_for(ops[i], one);
        nw_op_submit(ops[i]);
    }
    assert_int_equal(atomic_load(&n_completed), 0);
    fake_finish(&fake, one);
    assert_int_equal(atomic_load(&n_completed), 1 + N / 2);
    fake_finish_all(&fake);
    assert_int_equal(atomic_load(&n_completed), 1 + N);
    op_free(one);
    for (int i = 0; i < N; i++)
        op_free(ops[i]);
}

/* Completion starts the next operation, whose completion starts the next: a chain of any length must not fill the
 * stack of the thread that began it. */
static void a_long_chain_without_device_work_unwinds(void **state)
{
    (void)state;
    enum { N = 2000 };
    static nw_op_t *ops[N];
    for (int i = 0; i < N; i++) {
        ops[i] = new_op(i == 0);
        if (i > 0)
            wait_for(ops[i], ops[i - 1]);
        nw_op_submit(ops[i]);
    }
    fake_finish(&fake, ops[0]);
    assert_int_equal(atomic_load(&n_completed), N);
    for (int i = 0; i < N; i++)
        op_free(ops[i]);
}

static void steps_grow_beyond_the_operations_memory(void **state)
{
    (void)state;
    nw_op_t *op = new_op(true);
    uint32_t capacity = op->step_capacity;
    for (int i = 0; i < 1000; i++) {
        nw_step_t *step = nw_op_add_step(op);
        assert_non_null(step);
        assert_int_equal(step->flags, 0);
        assert_null(step->mapping);
        step->entry = i;
    }
    assert_true(op->step_capacity > capacity);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(op->work.steps[i].entry, i);
    nw_op_submit(op);
    fake_finish(&fake, op);
    op_free(op);
}

static void arguments_grow_beyond_the_operations_memory(void **state)
{
    (void)state;
    nw_op_t *op = new_op(true);
    assert_int_equal(nw_op_reserve_args(op, op->arg_capacity), NW_OK);
    assert_false(op->args_on_heap);
    assert_int_equal(nw_op_reserve_args(op, 500), NW_OK);
    assert_true(op->args_on_heap);
    memset(op->work.launch.args, 0, 500 * sizeof(uint64_t));
    nw_op_submit(op);
    fake_finish(&fake, op);
    op_free(op);
}

static void an_operation_of_n_maps_has_room_for_them(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= 64; n++) {
        char *memory = aligned_alloc(16, (nw_op_size(n) + 15) / 16 * 16);
        nw_op_t *op = (nw_op_t *)memory;
        assert_non_null(op);
        nw_op_init(op, n);
        assert_true(op->step_capacity >= n && op->arg_capacity >= n + 1);
        assert_true((char *)(op->work.steps + op->step_capacity) <= memory + nw_op_size(n));
        assert_true((char *)(op->work.launch.args + op->arg_capacity) <= memory + nw_op_size(n));
        memset(op->work.steps, 1, op->step_capacity * sizeof(nw_step_t));
        memset(op->work.launch.args, 1, op->arg_capacity * sizeof(uint64_t));
        free(op);
    }
}

static void owned_memory_is_freed_with_the_operation(void **state)
{
    (void)state;
    nw_op_t *op = new_op(true);
    nw_step_t *step = nw_op_add_step(op);
    step->device = fake.core.base.ops->alloc(&fake.core.base, 100);
    step->size = 100;
    step->flags = NW_STEP_OWNED;
    nw_op_submit(op);
    assert_int_equal(fake.blocks_live, 1);
    fake_finish(&fake, op);
    assert_int_equal(fake.blocks_live, 0);
    op_free(op);
}

static void copies_in_come_in_order_and_copies_out_in_reverse(void **state)
{
    (void)state;
    static char host[3][8], device[3][8];
    nw_op_t *op = new_op(true);
    for (int i = 0; i < 3; i++) {
        nw_step_t *step = nw_op_add_step(op);
        step->host = host[i];
        step->device = device[i];
        step->size = 8;
        step->flags = NW_STEP_IN | NW_STEP_OUT;
    }
    nw_step_t *pointer = nw_op_add_step(op);
    pointer->device = device[1];
    pointer->value = 0x1234;
    pointer->flags = NW_STEP_POINTER;
    nw_step_t *empty = nw_op_add_step(op);
    empty->flags = NW_STEP_IN | NW_STEP_OUT;
    nw_cursor_t in = {0}, out = {0};
    nw_chunk_t chunk;
    for (int i = 0; i < 3; i++) {
        assert_true(nw_work_next_in(&op->work, &in, &chunk));
        assert_ptr_equal(chunk.host, host[i]);
        assert_ptr_equal(chunk.device, device[i]);
        assert_int_equal(chunk.size, 8);
    }
    assert_true(nw_work_next_in(&op->work, &in, &chunk));
    assert_ptr_equal(chunk.device, device[1]);
    assert_int_equal(*(uintptr_t *)(void *)chunk.host, 0x1234);
    assert_int_equal(chunk.size, sizeof(uintptr_t));
    assert_false(nw_work_next_in(&op->work, &in, &chunk));
    for (int i = 2; i >= 0; i--) {
        assert_true(nw_work_next_out(&op->work, &out, &chunk));
        assert_ptr_equal(chunk.host, host[i]);
    }
    assert_false(nw_work_next_out(&op->work, &out, &chunk));
    nw_op_submit(op);
    fake_finish(&fake, op);
    op_free(op);
}

static void run_executes_on_the_calling_thread(void **state)
{
    (void)state;
    nw_op_t *op = new_op(true);
    op->waited_for = true;
    assert_int_equal(nw_op_run(op), NW_OK);
    assert_int_equal(fake.n_executed, 1);
    assert_int_equal(fake.n_submitted, 0);
    op_free(op);
}

static void *finish_soon(void *op)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    fake_finish(&fake, op);
    return NULL;
}

static void run_waits_for_its_blockers(void **state)
{
    (void)state;
    pthread_t thread;
    nw_op_t *a = new_op(true), *op = new_op(true);
    nw_op_submit(a);
    op->waited_for = true;
    wait_for(op, a);
    assert_int_equal(pthread_create(&thread, NULL, finish_soon, a), 0);
    assert_int_equal(nw_op_run(op), NW_OK);
    pthread_join(thread, NULL);
    op_free(a);
    op_free(op);
}

static void *wait_for_op(void *op)
{
    nw_op_wait(op);
    assert_int_equal(nw_op_state(op), NW_OP_DONE);
    return NULL;
}

static void several_threads_sleep_until_an_operation_is_done(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int round = 0; round < 20; round++) {
        nw_op_t *op = new_op(true);
        nw_op_submit(op);
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, wait_for_op, op), 0);
        nanosleep(&(struct timespec){.tv_nsec = round % 4 * 500000}, NULL);
        fake_finish(&fake, op);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        op_free(op);
    }
}



#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(states_only_move_forward_step_by_step),
        TEST(an_operation_completes_once_after_its_device_is_done),
        TEST(an_operation_without_device_work_is_done_at_once),
        TEST(the_owner_may_free_an_operation_in_its_completion),
        TEST(a_waiting_operation_starts_when_the_last_blocker_is_over),
        TEST(a_blocker_that_ends_before_the_submission_does_not_start_it),
        TEST(waiting_twice_for_the_same_is_waiting_once),
        TEST(an_operation_may_wait_for_more_others_than_it_has_room_for),
        TEST(many_may_wait_for_one),
        TEST(a_long_chain_without_device_work_unwinds),
        TEST(steps_grow_beyond_the_operations_memory),
        TEST(arguments_grow_beyond_the_operations_memory),
        TEST(an_operation_of_n_maps_has_room_for_them),
        TEST(owned_memory_is_freed_with_the_operation),
        TEST(copies_in_come_in_order_and_copies_out_in_reverse),
        TEST(run_executes_on_the_calling_thread),
        TEST(run_waits_for_its_blockers),
        TEST(several_threads_sleep_until_an_operation_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
