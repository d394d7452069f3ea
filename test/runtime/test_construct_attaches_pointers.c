/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pointers inside mapped data: the device's copy points at device data, the host's never changes, and copies touch
 * nothing but the bytes that they name (llvm/llvm-project PR 197106, issues 126342 and 149036). */
#include <stdlib.h>
#include <string.h>

#include "core/map_types.h"
#include "support/fake_device.h"
#include "support/harness.h"
#include "support/settings.h"

enum { N = 8, BYTES = N * sizeof(int), TOFROM = NW_MAP_TO | NW_MAP_FROM, ALLOC = 0, RELEASE = 0 };

typedef struct record {
    int before;
    int *data;
    int after;
    int *other;
} record_t;

static fake_device_t fake;
static record_t r;
static int values[N], others[N];

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    for (int i = 0; i < N; i++) {
        values[i] = i;
        others[i] = 10 * i;
    }
    r = (record_t){.before = 1, .data = values, .after = 2, .other = others};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    return 0;
}

/* The whole of r, and r.data[0:N] through its pointer, as clang 19 writes map(r, r.data[0:N]). */
static construct_t record_and_data(uint64_t record_type, uint64_t data_type)
{
    construct_t c = {0};
    construct_map(&c, &r, sizeof r, record_type | NW_MAP_TARGET_PARAM);
    construct_add(&c, &r.data, values, BYTES, MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | data_type);
    return c;
}

/* The device's copy of r, looked at from outside. */
static record_t *device_record(void)
{
    nw_mapping_t *mapping = fake_mapping(&fake, &r);
    return mapping ? (record_t *)(mapping->device + ((char *)&r - mapping->host)) : NULL;
}

static void change_through_pointer(const nw_launch_t *launch)
{
    record_t *record = (record_t *)launch->args[0];
    assert_ptr_not_equal(record->data, values);
    for (int i = 0; i < N; i++)
        record->data[i] += 100;
    record->before += 50;
    record->after += 50;
}

static void a_region_reaches_the_pointees_device_copy(void **state)
{
    (void)state;
    construct_t c = record_and_data(TOFROM, TOFROM);
    run_construct(&fake, &c, NW_TARGET, change_through_pointer);
    assert_ptr_equal(r.data, values);
    assert_ptr_equal(r.other, others);
    assert_int_equal(r.before, 51);
    assert_int_equal(r.after, 52);
    assert_int_equal(values[3], 103);
    assert_int_equal(fake_count_live(&fake), 0);
}

static void only_the_pointer_member_may_be_mapped(void **state)
{
    (void)state;
    /* map(tofrom: r.data[0:N]): the range is the pointer alone. */
    construct_t c = {0};
    construct_add(&c, &r, &r.data, sizeof r.data, NW_MAP_TARGET_PARAM);
    construct_add(&c, &r.data, values, BYTES, MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | TOFROM);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    nw_mapping_t *pointer = fake_mapping(&fake, &r.data);
    assert_non_null(pointer);
    assert_null(fake_mapping(&fake, &r));
    int *device_data;
    memcpy(&device_data, pointer->device, sizeof device_data);
    assert_ptr_equal(device_data, fake_mapping(&fake, values)->device);
    assert_int_equal(pointer->dynamic_count, 1);
    assert_int_equal(fake_mapping(&fake, values)->dynamic_count, 1);
    run_construct(&fake, &c, NW_DATA_END, NULL);
    assert_int_equal(fake_count_live(&fake), 0);
    assert_ptr_equal(r.data, values);
}

static void a_pointer_to_the_middle_of_its_data_keeps_its_distance(void **state)
{
    (void)state;
    r.data = values + 2;
    construct_t c = {0};
    construct_map(&c, &r, sizeof r, TOFROM | NW_MAP_TARGET_PARAM);
    construct_add(&c, &r.data, values + 4, 2 * sizeof(int), MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | TOFROM);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    assert_int_equal(device_record()->data[2], 4);
    assert_int_equal(device_record()->data[3], 5);
    run_construct(&fake, &c, NW_DATA_END, NULL);
}

static void a_hosts_pointer_that_was_changed_keeps_its_new_value(void **state)
{
    (void)state;
    construct_t c = record_and_data(TOFROM, TOFROM);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    r.data = NULL;
    r.after = -1;
    device_record()->after = 77;
    run_one(&fake, NW_DATA_UPDATE, &r, sizeof r, NW_MAP_FROM, NULL);
    assert_null(r.data);
    assert_ptr_equal(r.other, others);
    assert_int_equal(r.after, 77);
    run_one(&fake, NW_DATA_UPDATE, &r.after, sizeof r.after, NW_MAP_FROM, NULL);
    assert_null(r.data);
    /* The end copies the rest of the record and leaves the pointer alone. */
    device_record()->before = 33;
    run_construct(&fake, &c, NW_DATA_END, NULL);
    assert_null(r.data);
    assert_int_equal(r.before, 33);
    assert_int_equal(fake_count_live(&fake), 0);
}

static void an_update_of_the_device_keeps_its_pointer_attached(void **state)
{
    (void)state;
    construct_t c = record_and_data(TOFROM, TOFROM);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    void *attached = device_record()->data;
    r.before = 900;
    r.after = 901;
    run_one(&fake, NW_DATA_UPDATE, &r, sizeof r, NW_MAP_TO, NULL);
    assert_ptr_equal(device_record()->data, attached);
    assert_int_equal(device_record()->before, 900);
    assert_int_equal(device_record()->after, 901);
    run_one(&fake, NW_DATA_BEGIN, &r, sizeof r, NW_MAP_TO | NW_MAP_ALWAYS, NULL);
    assert_ptr_equal(device_record()->data, attached);
    run_one(&fake, NW_DATA_END, &r, sizeof r, RELEASE, NULL);
    run_construct(&fake, &c, NW_DATA_END, NULL);
}

static void copies_touch_the_named_bytes_only(void **state)
{
    (void)state;
    construct_t c = record_and_data(TOFROM, TOFROM);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    fake.copied_in = fake.copied_out = 0;
    run_one(&fake, NW_DATA_UPDATE, &r.data, sizeof r.data, NW_MAP_FROM, NULL);
    run_one(&fake, NW_DATA_UPDATE, &r.data, sizeof r.data, NW_MAP_TO, NULL);
    assert_int_equal(fake.copied_in + fake.copied_out, 0);
    run_one(&fake, NW_DATA_UPDATE, &r, sizeof r, NW_MAP_FROM, NULL);
    assert_int_equal(fake.copied_out, sizeof r - sizeof r.data);
    run_construct(&fake, &c, NW_DATA_END, NULL);
}

static void data_that_is_mapped_again_gets_its_pointer_attached_again(void **state)
{
    (void)state;
    run_one(&fake, NW_DATA_BEGIN, &r, sizeof r, NW_MAP_TO, NULL);
    construct_t c = {0};
    construct_add(&c, &r, &r.data, sizeof r.data, NW_MAP_TARGET_PARAM);
    construct_add(&c, &r.data, values, BYTES, MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | NW_MAP_TO);
    void *last = NULL;
    for (int i = 0; i < 3; i++) {
        run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
        assert_ptr_equal(device_record()->data, fake_mapping(&fake, values)->device);
        run_construct(&fake, &c, NW_DATA_END, NULL);
        assert_null(fake_mapping(&fake, values));
        /* Something else takes the memory, so that the next copy lies elsewhere. */
        if (i == 0)
            last = fake.core.base.ops->alloc(&fake.core.base, BYTES);
    }
    fake.core.base.ops->free(&fake.core.base, last, BYTES);
    run_one(&fake, NW_DATA_END, &r, sizeof r, NW_MAP_FROM, NULL);
    assert_ptr_equal(r.data, values);
}

static void a_pointer_variable_is_counted_with_its_data(void **state)
{
    (void)state;
    /* A pointer that is a variable of its own (declare target): no parent entry. */
    int *pointer = values;
    construct_t c = {0};
    construct_add(&c, &pointer, values, BYTES, NW_MAP_PTR_AND_OBJ | TOFROM);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    assert_int_equal(fake_mapping(&fake, &pointer)->dynamic_count, 2);
    assert_int_equal(fake_mapping(&fake, values)->dynamic_count, 2);
    run_construct(&fake, &c, NW_DATA_END, NULL);
    assert_int_equal(fake_mapping(&fake, values)->dynamic_count, 1);
    run_construct(&fake, &c, NW_DATA_END, NULL);
    assert_int_equal(fake_count_live(&fake), 0);
    assert_ptr_equal(pointer, values);
}

static void several_objects_and_a_region_at_once_stay_attached(void **state)
{
    (void)state;
    enum { OBJECTS = 6 };
    static record_t objects[OBJECTS];
    static int data[OBJECTS][N], extents[OBJECTS][N];
    construct_t c[OBJECTS];
    nw_op_t *begins[OBJECTS], *ends[OBJECTS];
    memset(data, 0, sizeof data);
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = (record_t){.before = i, .data = data[i], .other = extents[i]};
        c[i] = (construct_t){0};
        construct_map(&c[i], &objects[i], sizeof objects[i], TOFROM | NW_MAP_TARGET_PARAM);
        construct_add(&c[i], &objects[i].data, data[i], BYTES, MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | TOFROM);
        construct_add(&c[i], &objects[i].other, extents[i], BYTES, MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | NW_MAP_TO);
        begins[i] = construct_submit(&fake, &c[i], NW_DATA_BEGIN, NULL);
    }
    nw_op_t *regions[OBJECTS][2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < OBJECTS; i++)
            regions[i][k] = submit_one(&fake, NW_TARGET, &objects[i], sizeof objects[i], TOFROM,
                                       change_through_pointer);
    }
    for (int i = 0; i < OBJECTS; i++)
        ends[i] = construct_submit(&fake, &c[i], NW_DATA_END, NULL);
    assert_int_equal(fake.n_pending, OBJECTS);
    fake_finish_all(&fake);
    for (int i = 0; i < OBJECTS; i++) {
        assert_int_equal(data[i][3], 200);
        assert_int_equal(objects[i].before, i + 100);
        assert_ptr_equal(objects[i].data, data[i]);
        assert_ptr_equal(objects[i].other, extents[i]);
        op_free(begins[i]);
        op_free(regions[i][0]);
        op_free(regions[i][1]);
        op_free(ends[i]);
    }
}

/* LLVM 22 maps pointer and data by entries of their own and attaches by a third. */
static construct_t attach_only(uint64_t type)
{
    construct_t c = {0};
    construct_add(&c, &r.data, values, sizeof(void *), NW_MAP_ATTACH | type);
    return c;
}

static void attach_entries_work_in_any_order(void **state)
{
    (void)state;
    for (int order = 0; order < 3; order++) {
        construct_t c = {0};
        for (int i = 0; i < 3; i++) {
            switch ((i + order) % 3) {
            case 0:
                construct_map(&c, &r, sizeof r, TOFROM);
                break;
            case 1:
                construct_map(&c, values, BYTES, TOFROM);
                break;
            case 2:
                construct_add(&c, &r.data, values, sizeof(void *), NW_MAP_ATTACH);
                break;
            }
        }
        run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
        assert_ptr_equal(device_record()->data, fake_mapping(&fake, values)->device);
        assert_int_equal(fake_mapping(&fake, values)->dynamic_count, 1);
        run_construct(&fake, &c, NW_DATA_END, NULL);
        assert_ptr_equal(r.data, values);
        assert_int_equal(fake_count_live(&fake), 0);
    }
}

static void attach_entries_attach_only_what_is_new(void **state)
{
    (void)state;
    run_one(&fake, NW_DATA_BEGIN, &r, sizeof r, NW_MAP_TO, NULL);
    run_one(&fake, NW_DATA_BEGIN, values, BYTES, NW_MAP_TO, NULL);
    construct_t later = attach_only(0), always = attach_only(NW_MAP_ALWAYS);
    run_construct(&fake, &later, NW_DATA_BEGIN, NULL);
    assert_ptr_equal(device_record()->data, values);
    run_construct(&fake, &always, NW_DATA_BEGIN, NULL);
    assert_ptr_equal(device_record()->data, fake_mapping(&fake, values)->device);
    run_one(&fake, NW_DATA_END, values, BYTES, RELEASE, NULL);
    /* New data, old pointer. */
    construct_t c = {0};
    construct_map(&c, values, BYTES, NW_MAP_TO);
    construct_add(&c, &r.data, values, sizeof(void *), NW_MAP_ATTACH);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    assert_ptr_equal(device_record()->data, fake_mapping(&fake, values)->device);
    run_one(&fake, NW_DATA_END, values, BYTES, RELEASE, NULL);
    run_one(&fake, NW_DATA_END, &r, sizeof r, RELEASE, NULL);
}

static void attach_always_attaches_what_is_old(void **state)
{
    (void)state;
    for (int by_setting = 0; by_setting < 2; by_setting++) {
        construct_t c = {0};
        run_one(&fake, NW_DATA_BEGIN, &r, sizeof r, NW_MAP_TO, NULL);
        run_one(&fake, NW_DATA_BEGIN, values, BYTES, NW_MAP_TO, NULL);
        construct_add(&c, &r.data, values, sizeof(void *), NW_MAP_ATTACH | (by_setting ? 0 : NW_MAP_ALWAYS));
        nw_settings.attach_always = by_setting;
        run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
        nw_settings.attach_always = false;
        assert_ptr_equal(device_record()->data, fake_mapping(&fake, values)->device);
        run_one(&fake, NW_DATA_END, values, BYTES, NW_MAP_DELETE, NULL);
        run_one(&fake, NW_DATA_END, &r, sizeof r, NW_MAP_DELETE, NULL);
    }
}

/* A Fortran descriptor: a pointer, and fields that describe what it points at. */
typedef struct descriptor {
    int *data;
    long lower, upper;
} descriptor_t;

static void descriptors_are_attached_with_their_fields(void **state)
{
    (void)state;
    static descriptor_t box;
    box = (descriptor_t){.data = values + 2, .lower = 1, .upper = 6};
    construct_t c = {0};
    construct_map(&c, &box, sizeof box, ALLOC);
    construct_map(&c, values + 2, 6 * sizeof(int), NW_MAP_TO);
    construct_add(&c, &box, values + 2, sizeof box, NW_MAP_ATTACH);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    descriptor_t *device = (descriptor_t *)fake_mapping(&fake, &box)->device;
    assert_ptr_equal(device->data, fake_mapping(&fake, values + 2)->device);
    assert_int_equal(device->lower, 1);
    assert_int_equal(device->upper, 6);
    /* Attached again with other bounds, although the pointer is the same. */
    box.upper = 5;
    c = (construct_t){0};
    construct_add(&c, &box, values + 2, sizeof box, NW_MAP_ATTACH | NW_MAP_ALWAYS);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    assert_int_equal(device->upper, 5);
    /* No copy touches a descriptor on either side. */
    box.lower = 77;
    run_one(&fake, NW_DATA_UPDATE, &box, sizeof box, NW_MAP_TO, NULL);
    assert_int_equal(device->lower, 1);
    run_one(&fake, NW_DATA_UPDATE, &box, sizeof box, NW_MAP_FROM, NULL);
    assert_int_equal(box.lower, 77);
    assert_ptr_equal(box.data, values + 2);
    run_one(&fake, NW_DATA_END, values + 2, 6 * sizeof(int), RELEASE, NULL);
    run_one(&fake, NW_DATA_END, &box, sizeof box, NW_MAP_FROM, NULL);
    assert_int_equal(box.lower, 77);
}

static void *given_pointer;

static void note_private_pointer(const nw_launch_t *launch)
{
    memcpy(&given_pointer, (void *)launch->args[0], sizeof given_pointer);
}

/* PRIVATE with ATTACH: a private pointer begins with the device address of its data, or keeps its value. */
static void private_pointers_begin_at_their_data(void **state)
{
    (void)state;
    int *pointer = values + 1;
    construct_t c = {0};
    construct_add(&c, &pointer, values + 3, sizeof pointer, NW_MAP_PRIVATE | NW_MAP_ATTACH | NW_MAP_TARGET_PARAM);
    construct_map(&c, values + 3, 4 * sizeof(int), TOFROM);
    nw_op_t *op = construct_submit(&fake, &c, NW_TARGET, note_private_pointer);
    int *device_begin = (int *)op->work.steps[0].device;
    fake_finish_all(&fake);
    assert_ptr_equal(given_pointer, device_begin - 2);
    op_free(op);
    c.n = 1;
    run_construct(&fake, &c, NW_TARGET, note_private_pointer);
    assert_ptr_equal(given_pointer, pointer);
}

/* A pointer to nothing that is mapped keeps its value on the device (OpenMP 5.2, section 5.8.6). */
static void a_pointer_to_an_empty_section_keeps_its_value(void **state)
{
    (void)state;
    construct_t c = {0};
    construct_map(&c, &r.data, sizeof r.data, ALLOC);
    construct_add(&c, &r.data, values + 1, 0, MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | TOFROM);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    int *device_data;
    memcpy(&device_data, fake_mapping(&fake, &r.data)->device, sizeof device_data);
    assert_ptr_equal(device_data, values);
    run_construct(&fake, &c, NW_DATA_END, NULL);
    assert_int_equal(fake_count_live(&fake), 0);
}

static void attach_entries_without_pointer_or_data_do_nothing(void **state)
{
    (void)state;
    construct_t c = attach_only(NW_MAP_ALWAYS);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    run_one(&fake, NW_DATA_BEGIN, &r, sizeof r, NW_MAP_TO, NULL);
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    assert_ptr_equal(device_record()->data, values);
    run_one(&fake, NW_DATA_END, &r, sizeof r, RELEASE, NULL);
}

/* The pointer is read while the construct is decided: its frame may be gone when the operation runs. */
static void pointers_are_read_when_the_construct_is_decided(void **state)
{
    (void)state;
    construct_t c = record_and_data(TOFROM, TOFROM);
    nw_op_t *op = construct_submit(&fake, &c, NW_DATA_BEGIN, NULL);
    void *expected = fake_mapping(&fake, values)->device;
    r.data = (int *)(uintptr_t)0xdead;
    fake_finish_all(&fake);
    op_free(op);
    assert_ptr_equal(device_record()->data, expected);
    r.data = values;
    run_construct(&fake, &c, NW_DATA_END, NULL);
}

/* A construct of LLVM 22's that begins late, when the host's pointer holds something else: what it held is its data's
 * base. */
static void a_pointer_that_the_construct_maps_is_attached_as_it_was(void **state)
{
    (void)state;
    construct_t c = {0};
    construct_map(&c, &r, sizeof r, NW_MAP_TO);
    construct_add(&c, values, values + 2, BYTES - 2 * sizeof(int), NW_MAP_TO);
    construct_add(&c, &r.data, values + 2, sizeof(void *), NW_MAP_ATTACH);
    r.data = others;
    run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
    nw_mapping_t *data = fake_mapping(&fake, values + 2);
    assert_ptr_equal(device_record()->data, data->device - (data->host - (char *)values));
    run_construct(&fake, &c, NW_DATA_END, NULL);
    assert_ptr_equal(r.data, others);
    assert_int_equal(fake_count_live(&fake), 0);
}

/* The pointer was a local variable of a function that has returned, and its place is a mapped variable's now. */
static void another_variable_in_the_place_of_a_pointer_is_left_alone(void **state)
{
    (void)state;
    for (int always = 0; always < 2; always++) {
        construct_t c = {0};
        construct_map(&c, values, BYTES, NW_MAP_TO);
        construct_add(&c, &r.data, values, sizeof(void *), NW_MAP_ATTACH | (always ? NW_MAP_ALWAYS : 0));
        r.data = others;
        run_one(&fake, NW_DATA_BEGIN, &r, sizeof r, NW_MAP_TO, NULL);
        run_construct(&fake, &c, NW_DATA_BEGIN, NULL);
        assert_ptr_equal(device_record()->data, others);
        run_construct(&fake, &c, NW_DATA_END, NULL);
        run_one(&fake, NW_DATA_END, &r, sizeof r, NW_MAP_DELETE, NULL);
        assert_int_equal(fake_count_live(&fake), 0);
    }
}

static void a_region_waits_for_a_pointer_that_is_being_attached(void **state)
{
    (void)state;
    run_one(&fake, NW_DATA_BEGIN, &r, sizeof r, NW_MAP_TO, NULL);
    construct_t c = {0};
    construct_add(&c, &r, &r.data, sizeof r.data, NW_MAP_TARGET_PARAM);
    construct_add(&c, &r.data, values, BYTES, MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | NW_MAP_TO);
    nw_op_t *attaching = construct_submit(&fake, &c, NW_DATA_BEGIN, NULL);
    nw_op_t *region = submit_one(&fake, NW_TARGET, &r, sizeof r, TOFROM, change_through_pointer);
    assert_false(fake_is_pending(&fake, region));
    fake_finish(&fake, attaching);
    fake_finish(&fake, region);
    op_free(attaching);
    op_free(region);
    run_construct(&fake, &c, NW_DATA_END, NULL);
    run_one(&fake, NW_DATA_END, &r, sizeof r, RELEASE, NULL);
}

/* A lambda object that captures a mapped variable by reference: clang marks the capture as a literal pointer. */
typedef struct lambda {
    int *captured;
    int number;
} lambda_t;

static void use_lambda(const nw_launch_t *launch)
{
    lambda_t *lambda = (lambda_t *)launch->args[0];
    for (int i = 0; i < N; i++)
        lambda->captured[i] += lambda->number;
}

static void check_lambda(uint64_t object_type)
{
    lambda_t lambda = {values, 5};
    construct_t c = {0};
    run_one(&fake, NW_DATA_BEGIN, values, BYTES, NW_MAP_TO, NULL);
    construct_map(&c, &lambda, sizeof lambda, object_type | NW_MAP_TARGET_PARAM);
    construct_add(&c, &lambda.captured, values, BYTES,
                  MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | NW_MAP_LITERAL | NW_MAP_IMPLICIT);
    run_construct(&fake, &c, NW_TARGET, use_lambda);
    assert_ptr_equal(lambda.captured, values);
    assert_int_equal(values[2], 2);
    run_one(&fake, NW_DATA_END, values, BYTES, NW_MAP_FROM, NULL);
    assert_int_equal(values[2], 7);
}

static void captures_of_a_mapped_lambda_are_translated(void **state)
{
    (void)state;
    check_lambda(TOFROM);
}

static void captures_of_a_private_lambda_are_translated(void **state)
{
    (void)state;
    check_lambda(NW_MAP_TO | NW_MAP_PRIVATE);
}

static void many_pointers_in_one_construct_all_arrive(void **state)
{
    (void)state;
    enum { POINTERS = CONSTRUCT_MAX - 1 };
    static int *pointers[POINTERS], data[POINTERS];
    construct_t c = {0};
    construct_map(&c, pointers, sizeof pointers, NW_MAP_TO | NW_MAP_TARGET_PARAM);
    for (int i = 0; i < POINTERS; i++) {
        pointers[i] = &data[i];
        construct_add(&c, &pointers[i], &data[i], sizeof(int), MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | TOFROM);
    }
    nw_op_t *op = construct_submit(&fake, &c, NW_DATA_BEGIN, NULL);
    /* A pointer and its pointee are two steps, which the room for one entry holds. */
    assert_false(op->steps_on_heap);
    fake_finish_all(&fake);
    op_free(op);
    int **device = (int **)fake_mapping(&fake, pointers)->device;
    for (int i = 0; i < POINTERS; i++)
        *device[i] = i;
    run_construct(&fake, &c, NW_DATA_END, NULL);
    for (int i = 0; i < POINTERS; i++)
        assert_int_equal(data[i], i);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(a_region_reaches_the_pointees_device_copy),
        TEST(only_the_pointer_member_may_be_mapped),
        TEST(a_pointer_to_the_middle_of_its_data_keeps_its_distance),
        TEST(a_hosts_pointer_that_was_changed_keeps_its_new_value),
        TEST(an_update_of_the_device_keeps_its_pointer_attached),
        TEST(copies_touch_the_named_bytes_only),
        TEST(data_that_is_mapped_again_gets_its_pointer_attached_again),
        TEST(a_pointer_variable_is_counted_with_its_data),
        TEST(several_objects_and_a_region_at_once_stay_attached),
        TEST(attach_entries_work_in_any_order),
        TEST(attach_entries_attach_only_what_is_new),
        TEST(attach_always_attaches_what_is_old),
        TEST(descriptors_are_attached_with_their_fields),
        TEST(private_pointers_begin_at_their_data),
        TEST(a_pointer_to_an_empty_section_keeps_its_value),
        TEST(attach_entries_without_pointer_or_data_do_nothing),
        TEST(pointers_are_read_when_the_construct_is_decided),
        TEST(a_pointer_that_the_construct_maps_is_attached_as_it_was),
        TEST(another_variable_in_the_place_of_a_pointer_is_left_alone),
        TEST(a_region_waits_for_a_pointer_that_is_being_attached),
        TEST(captures_of_a_mapped_lambda_are_translated),
        TEST(captures_of_a_private_lambda_are_translated),
        TEST(many_pointers_in_one_construct_all_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
