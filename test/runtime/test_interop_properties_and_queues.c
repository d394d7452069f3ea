/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Interop objects over a device with a foreign runtime: properties, queues, waiting, notification, callbacks, and the
 * implicit objects of threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/interop_object.h"
#include "support/fake_device.h"
#include "support/harness.h"

/* The foreign runtime's side, as the test directs and counts it. */
static struct {
    nw_status_t open_status, wait_status;
    int opened, closed, waited, followed;
    _Atomic uint32_t counted;
    void (*over)(void *argument, nw_status_t status); /* of the notification under way */
    void *argument;
} foreign;

static int platform, device_handle, context_handle;

static void describe(nw_device_t *device, nw_foreign_t *foreign_p)
{
    (void)device;
    *foreign_p = (nw_foreign_t){.runtime = 2,
                                .vendor = 11,
                                .platform = &platform,
                                .device = &device_handle,
                                .context = &context_handle};
}

static nw_status_t queue_open(nw_device_t *device, void **queue_p)
{
    (void)device;
    foreign.opened++;
    if (foreign.open_status == NW_OK)
        *queue_p = &foreign;
    return foreign.open_status;
}

static void queue_close(nw_device_t *device, void *queue)
{
    (void)device;
    assert_ptr_equal(queue, &foreign);
    foreign.closed++;
}

static nw_status_t queue_wait(nw_device_t *device, void *queue)
{
    (void)device;
    assert_ptr_equal(queue, &foreign);
    foreign.waited++;
    return foreign.wait_status;
}

static nw_status_t queue_notify(nw_device_t *device, void *queue, void (*over)(void *argument, nw_status_t status),
                                void *argument, _Atomic uint32_t *on_device)
{
    (void)device;
    assert_ptr_equal(queue, &foreign);
    assert_ptr_equal(on_device, &foreign.counted);
    foreign.over = over;
    foreign.argument = argument;
    return NW_OK;
}

static nw_status_t queue_follow(nw_device_t *device, void *queue)
{
    (void)device;
    assert_ptr_equal(queue, &foreign);
    foreign.followed++;
    return NW_OK;
}

static fake_device_t fake;
static nw_device_ops_t ops;

static int set_up(void **state)
{
    (void)state;
    memset(&foreign, 0, sizeof foreign);
    fake_device_init(&fake);
    ops = *fake.core.base.ops;
    ops.foreign = describe;
    ops.queue_open = queue_open;
    ops.queue_close = queue_close;
    ops.queue_wait = queue_wait;
    ops.queue_notify = queue_notify;
    ops.queue_follow = queue_follow;
    fake.core.base.ops = &ops;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    return 0;
}

static intptr_t get_int(nw_interop_t *interop, int property)
{
    nw_interop_value_t value;
    assert_int_equal(nw_interop_get(interop, property, NW_IRC_TYPE_INT, &value), NW_IRC_SUCCESS);
    return value.integer;
}

static const char *get_str(nw_interop_t *interop, int property)
{
    nw_interop_value_t value;
    assert_int_equal(nw_interop_get(interop, property, NW_IRC_TYPE_STR, &value), NW_IRC_SUCCESS);
    return value.string;
}

static void *get_ptr(nw_interop_t *interop, int property)
{
    nw_interop_value_t value;
    assert_int_equal(nw_interop_get(interop, property, NW_IRC_TYPE_PTR, &value), NW_IRC_SUCCESS);
    return value.pointer;
}

static void properties_are_the_backends(void **state)
{
    (void)state;
    nw_interop_t *interop = nw_interop_new(&fake.core, 3);
    assert_int_equal(get_int(interop, NW_IPR_FR_ID), 2);
    assert_string_equal(get_str(interop, NW_IPR_FR_NAME), "cuda_driver");
    assert_int_equal(get_int(interop, NW_IPR_VENDOR), 11);
    assert_string_equal(get_str(interop, NW_IPR_VENDOR_NAME), "nvidia");
    assert_int_equal(get_int(interop, NW_IPR_DEVICE_NUM), 3);
    assert_ptr_equal(get_ptr(interop, NW_IPR_PLATFORM), &platform);
    assert_ptr_equal(get_ptr(interop, NW_IPR_DEVICE), &device_handle);
    assert_ptr_equal(get_ptr(interop, NW_IPR_DEVICE_CONTEXT), &context_handle);
    assert_int_equal(foreign.opened, 0);
    nw_interop_free(interop);
    assert_int_equal(foreign.closed, 0);
}

static void the_wrong_type_is_told_the_right_one(void **state)
{
    (void)state;
    nw_interop_t *interop = nw_interop_new(&fake.core, 0);
    static const int types[] = {NW_IRC_TYPE_INT, NW_IRC_TYPE_PTR, NW_IRC_TYPE_STR};
    for (int property = NW_IPR_FIRST; property < 0; property++) {
        for (size_t i = 0; i < 3; i++) {
            nw_interop_value_t value = {.integer = 77};
            int code = nw_interop_get(interop, property, types[i], &value);
            assert_int_equal(code, types[i] == nw_interop_type(property) ? NW_IRC_SUCCESS : nw_interop_type(property));
            if (code != NW_IRC_SUCCESS)
                assert_int_equal(value.integer, 0);
        }
    }
    nw_interop_value_t value;
    assert_int_equal(nw_interop_get(interop, 0, NW_IRC_TYPE_INT, &value), NW_IRC_OUT_OF_RANGE);
    assert_int_equal(nw_interop_get(interop, NW_IPR_FIRST - 1, NW_IRC_TYPE_PTR, &value), NW_IRC_OUT_OF_RANGE);
    assert_int_equal(nw_interop_get(NULL, NW_IPR_FR_ID, NW_IRC_TYPE_INT, &value), NW_IRC_EMPTY);
    nw_interop_free(interop);
}

static void the_queue_is_opened_once_when_asked_for(void **state)
{
    (void)state;
    nw_interop_t *interop = nw_interop_new(&fake.core, 0);
    assert_true(nw_interop_may_have_tasks(interop));
    assert_int_equal(nw_interop_wait(interop), NW_OK);
    assert_int_equal(foreign.waited, 0);
    assert_ptr_equal(get_ptr(interop, NW_IPR_TARGETSYNC), &foreign);
    assert_ptr_equal(get_ptr(interop, NW_IPR_TARGETSYNC), &foreign);
    assert_int_equal(foreign.opened, 1);
    assert_int_equal(nw_interop_wait(interop), NW_OK);
    assert_int_equal(foreign.waited, 1);
    nw_interop_free(interop);
    assert_int_equal(foreign.closed, 1);
}

static void a_queue_that_must_follow_is_opened(void **state)
{
    (void)state;
    nw_interop_t *interop = nw_interop_new(&fake.core, 0);
    assert_int_equal(nw_interop_follow(interop), NW_OK);
    assert_int_equal(foreign.opened, 1);
    assert_int_equal(foreign.followed, 1);
    nw_interop_free(interop);
    interop = nw_interop_new(&fake.core, 0);
    foreign.open_status = NW_ERR_DEVICE;
    assert_int_equal(nw_interop_follow(interop), NW_ERR_DEVICE);
    assert_int_equal(foreign.followed, 1);
    nw_interop_free(interop);
    interop = nw_interop_new(NULL, 1);
    assert_false(nw_interop_may_have_tasks(interop));
    assert_int_equal(nw_interop_follow(interop), NW_ERR_UNSUPPORTED);
    nw_interop_free(interop);
}

static void a_queue_that_fails_is_reported(void **state)
{
    (void)state;
    nw_interop_t *interop = nw_interop_new(&fake.core, 0);
    nw_interop_value_t value;
    foreign.open_status = NW_ERR_DEVICE;
    capture_begin();
    assert_int_equal(nw_interop_get(interop, NW_IPR_TARGETSYNC, NW_IRC_TYPE_PTR, &value), NW_IRC_OTHER);
    const char *text = capture_end();
    assert_non_null(strstr(text, "no queue"));
    assert_int_equal(count_lines(text), 1);
    assert_null(value.pointer);
    foreign.open_status = NW_ERR_UNSUPPORTED;
    assert_int_equal(nw_interop_get(interop, NW_IPR_TARGETSYNC, NW_IRC_TYPE_PTR, &value), NW_IRC_NO_VALUE);
    foreign.open_status = NW_OK;
    get_ptr(interop, NW_IPR_TARGETSYNC);
    foreign.wait_status = NW_ERR_DEVICE;
    assert_int_equal(nw_interop_wait(interop), NW_ERR_DEVICE);
    nw_interop_free(interop);
}

static int calls[8], n_calls;

static void note_call(nw_interop_t *interop, void *data)
{
    assert_non_null(interop);
    calls[n_calls++] = (int)(intptr_t)data;
}

static void callbacks_are_called_once_and_in_order(void **state)
{
    (void)state;
    nw_interop_t *interop = nw_interop_new(&fake.core, 0);
    n_calls = 0;
    for (intptr_t i = 1; i <= 3; i++)
        assert_int_equal(nw_interop_add_callback(interop, note_call, (void *)i), NW_OK);
    assert_int_equal(nw_interop_wait(interop), NW_OK);
    assert_int_equal(n_calls, 3);
    assert_int_equal(calls[0] * 100 + calls[1] * 10 + calls[2], 123);
    assert_int_equal(nw_interop_wait(interop), NW_OK);
    assert_int_equal(n_calls, 3);
    /* What failed is not over. */
    get_ptr(interop, NW_IPR_TARGETSYNC);
    foreign.wait_status = NW_ERR_DEVICE;
    assert_int_equal(nw_interop_add_callback(interop, note_call, (void *)(intptr_t)4), NW_OK);
    assert_int_equal(nw_interop_wait(interop), NW_ERR_DEVICE);
    assert_int_equal(n_calls, 3);
    /* Those that are left go with the object. */
    nw_interop_free(interop);
    assert_int_equal(n_calls, 3);
}

static nw_status_t heard = NW_ERR_INVALID;

static void hear(void *argument, nw_status_t status)
{
    assert_ptr_equal(argument, &heard);
    heard = status;
}

static void notification_comes_from_the_queue(void **state)
{
    (void)state;
    nw_interop_t *interop = nw_interop_new(&fake.core, 0);
    /* Without a queue there is nothing to wait for. */
    heard = NW_ERR_INVALID;
    assert_int_equal(nw_interop_notify(interop, hear, &heard, &foreign.counted), NW_OK);
    assert_int_equal(heard, NW_OK);
    get_ptr(interop, NW_IPR_TARGETSYNC);
    heard = NW_ERR_INVALID;
    assert_int_equal(nw_interop_notify(interop, hear, &heard, &foreign.counted), NW_OK);
    assert_int_equal(heard, NW_ERR_INVALID);
    foreign.over(foreign.argument, NW_OK);
    assert_int_equal(heard, NW_OK);
    nw_interop_free(interop);
}

static void objects_of_the_host_have_no_runtime(void **state)
{
    (void)state;
    nw_interop_t *interop = nw_interop_new(NULL, 1);
    nw_interop_value_t value;
    assert_int_equal(get_int(interop, NW_IPR_FR_ID), 0);
    assert_string_equal(get_str(interop, NW_IPR_FR_NAME), "none");
    assert_int_equal(get_int(interop, NW_IPR_DEVICE_NUM), 1);
    assert_int_equal(nw_interop_get(interop, NW_IPR_TARGETSYNC, NW_IRC_TYPE_PTR, &value), NW_IRC_NO_VALUE);
    assert_int_equal(nw_interop_get(interop, NW_IPR_DEVICE, NW_IRC_TYPE_PTR, &value), NW_IRC_NO_VALUE);
    assert_int_equal(nw_interop_wait(interop), NW_OK);
    nw_interop_free(interop);
}

static void *get_implicit_of_another(void *gtid)
{
    nw_interop_t *interop = nw_interop_implicit(&fake.core, 0, (int32_t)(intptr_t)gtid);
    nw_interop_sync_implicit((int32_t)(intptr_t)gtid);
    return interop;
}

/* These objects live as long as the process, so this comes last. */
static void implicit_objects_are_each_threads_own(void **state)
{
    (void)state;
    enum { MINE = 5, OTHERS = 6 };
    nw_interop_t *mine = nw_interop_implicit(&fake.core, 0, MINE);
    assert_true(nw_interop_is_implicit(mine));
    assert_ptr_equal(nw_interop_implicit(&fake.core, 0, MINE), mine);
    assert_ptr_not_equal(nw_interop_implicit(NULL, 1, MINE), mine);
    get_ptr(mine, NW_IPR_TARGETSYNC);
    pthread_t thread;
    void *others;
    pthread_create(&thread, NULL, get_implicit_of_another, (void *)(intptr_t)OTHERS);
    pthread_join(thread, &others);
    assert_ptr_not_equal(others, mine);
    /* The other thread has synchronised its own only. */
    assert_int_equal(foreign.waited, 0);
    nw_interop_sync_implicit(MINE);
    assert_int_equal(foreign.waited, 1);
    nw_interop_sync_implicit(MINE);
    assert_int_equal(foreign.waited, 1);
    nw_interop_implicit(&fake.core, 0, MINE);
    nw_interop_end();
    nw_interop_sync_implicit(MINE);
    assert_int_equal(foreign.waited, 1);
    assert_null(nw_interop_implicit(&fake.core, 0, MINE + OTHERS));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(properties_are_the_backends),
        TEST(the_wrong_type_is_told_the_right_one),
        TEST(the_queue_is_opened_once_when_asked_for),
        TEST(a_queue_that_must_follow_is_opened),
        TEST(a_queue_that_fails_is_reported),
        TEST(callbacks_are_called_once_and_in_order),
        TEST(notification_comes_from_the_queue),
        TEST(objects_of_the_host_have_no_runtime),
        TEST(implicit_objects_are_each_threads_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
