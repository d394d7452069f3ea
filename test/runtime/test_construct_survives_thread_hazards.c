/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Program shapes that have crashed or miscounted elsewhere when several threads map at once, each a test of its own:
 * recycled host addresses (llvm/llvm-project issue 54731), data mapped again while its mapping is on its way out, and
 * pointers attached to data that comes and goes (issues 126342, 149036). Meant to be run under ThreadSanitizer and
 * AddressSanitizer too; the model test has the random programs.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/map_types.h"
#include "support/fake_device.h"
#include "support/harness.h"

enum { THREADS = 6, N = 8, BYTES = N * sizeof(int), TOFROM = NW_MAP_TO | NW_MAP_FROM, ALLOC = 0, RELEASE = 0 };

typedef struct record {
    int before;
    int *data;
    int after;
} record_t;

static fake_device_t fake;
static int values[N];
static record_t record;
static _Atomic int wrong;

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    for (int i = 0; i < N; i++)
        values[i] = i + 1;
    record = (record_t){.before = 10, .data = values, .after = 20};
    wrong = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    assert_int_equal(wrong, 0);
    return 0;
}

static void expect(bool right)
{
    if (!right)
        atomic_fetch_add(&wrong, 1);
}

static void run_threads(void *(*body)(void *))
{
    pthread_t threads[THREADS];
    fake.delay_us = 50;
    fake_device_start_threads(&fake, 3);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void end(nw_op_t *op)
{
    nw_op_wait(op);
    op_free(op);
}

/* --- memory that is mapped, freed, and handed out again to another thread ----------------------------------------- */

static void add_1_to_all(const nw_launch_t *launch)
{
    unsigned char *bytes = (unsigned char *)launch->args[0];
    for (size_t i = 0; i < (size_t)launch->args[1]; i++)
        bytes[i]++;
}

/* A region, or its parts: enter data, region, exit data, all in flight at once. */
static void map_and_add(uint64_t *random, unsigned char *bytes, size_t size)
{
    construct_t c = {0};
    construct_map(&c, bytes, size, TOFROM | NW_MAP_TARGET_PARAM);
    construct_map(&c, (void *)size, 8, NW_MAP_LITERAL | NW_MAP_TARGET_PARAM);
    switch (random_below(random, 3)) {
    case 0:
        construct_run_now(&fake, &c, NW_TARGET, add_1_to_all);
        break;
    case 1:
        end(construct_submit(&fake, &c, NW_TARGET, add_1_to_all));
        break;
    case 2: {
        nw_op_t *enter = submit_one(&fake, NW_DATA_BEGIN, bytes, size, NW_MAP_TO, NULL);
        nw_op_t *region = construct_submit(&fake, &c, NW_TARGET, add_1_to_all);
        nw_op_t *leave = submit_one(&fake, NW_DATA_END, bytes, size, NW_MAP_FROM, NULL);
        end(leave);
        end(region);
        end(enter);
        break;
    }
    }
}

static void *recycle_buffers(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    for (int i = 0; i < 400; i++) {
        size_t size = 1 + random_below(&random, 300);
        unsigned char *bytes = malloc(size);
        if (!bytes)
            continue;
        memset(bytes, i, size);
        map_and_add(&random, bytes, size);
        for (size_t k = 0; k < size; k++)
            expect(bytes[k] == (unsigned char)(i + 1));
        free(bytes);
    }
    return NULL;
}

static void recycled_host_addresses_are_mapped_by_other_threads(void **state)
{
    (void)state;
    run_threads(recycle_buffers);
}

/* Neighbours in one small array: no thread's mapping ends where another's begins by more than a byte. */
static void *map_neighbours(void *argument)
{
    static unsigned char cells[THREADS * 40];
    uintptr_t number = (uintptr_t)argument - 1;
    uint64_t random = number + 1;
    unsigned char *own = cells + number * 40;
    for (int i = 0; i < 300; i++) {
        size_t begin = random_below(&random, 40), size = 1 + random_below(&random, 40 - (uint32_t)begin);
        memset(own, i, 40);
        map_and_add(&random, own + begin, size);
        for (size_t k = 0; k < 40; k++)
            expect(own[k] == (unsigned char)(i + (begin <= k && k < begin + size)));
    }
    return NULL;
}

static void neighbouring_bytes_are_mapped_by_other_threads(void **state)
{
    (void)state;
    run_threads(map_neighbours);
}

/* --- data that is mapped again while its mapping is on its way out ------------------------------------------------ */

static void set_7(const nw_launch_t *launch)
{
    int *data = (int *)launch->args[0];
    for (int i = 0; i < N; i++)
        __atomic_store_n(&data[i], 7, __ATOMIC_RELAXED);
}

static void a_dying_mapping_is_mapped_again_after_its_copies(void **state)
{
    (void)state;
    nw_op_t *dying = submit_one(&fake, NW_TARGET, values, BYTES, NW_MAP_FROM, set_7);
    nw_op_t *again = submit_one(&fake, NW_DATA_BEGIN, values, BYTES, NW_MAP_TO, NULL);
    assert_false(fake_is_pending(&fake, again));
    nw_mapping_t *fresh = fake_mapping(&fake, values);
    assert_non_null(fresh);
    fake_finish(&fake, dying);
    fake_finish(&fake, again);
    op_free(dying);
    op_free(again);
    /* The end of the first must not have taken what the second has mapped. */
    assert_ptr_equal(fake_mapping(&fake, values), fresh);
    assert_int_equal(fresh->dynamic_count, 1);
    for (int i = 0; i < N; i++)
        assert_int_equal(((int *)fresh->device)[i], 7);
    run_one(&fake, NW_DATA_END, values, BYTES, RELEASE, NULL);
}

static void *remap_common(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    for (int i = 0; i < 400; i++) {
        nw_op_t *enter = NULL;
        if (random_below(&random, 3) == 0)
            enter = submit_one(&fake, NW_DATA_BEGIN, values, BYTES, TOFROM, NULL);
        nw_op_t *region = submit_one(&fake, NW_TARGET, values, BYTES, random_below(&random, 2) ? NW_MAP_FROM : TOFROM,
                                     set_7);
        if (enter) {
            end(submit_one(&fake, NW_DATA_END, values, BYTES, NW_MAP_FROM, NULL));
            end(enter);
        }
        end(region);
    }
    return NULL;
}

static void threads_map_the_same_dying_data_again(void **state)
{
    (void)state;
    run_threads(remap_common);
    for (int i = 0; i < N; i++)
        assert_int_equal(values[i], 7);
}

/* --- pointers and what they point to ------------------------------------------------------------------------------ */

static void check_through_pointer(const nw_launch_t *launch)
{
    const record_t *r = (const record_t *)launch->args[0];
    for (int i = 0; i < N; i++)
        expect(r->data[i] == i + 1);
    expect(r->before == 10 && r->after == 20);
}

/* map(to: r->data[0:N]) of a record that is or is not present, in the words of LLVM 19 or of LLVM 22. */
static construct_t through_pointer(record_t *r, bool llvm_22, uint64_t record_type)
{
    construct_t c = {0};
    construct_map(&c, r, sizeof *r, record_type | NW_MAP_TARGET_PARAM);
    if (llvm_22) {
        construct_map(&c, values, BYTES, NW_MAP_TO);
        construct_add(&c, &r->data, values, sizeof(void *), NW_MAP_ATTACH);
    } else {
        construct_add(&c, &r->data, values, BYTES, MEMBER_OF(0) | NW_MAP_PTR_AND_OBJ | NW_MAP_TO);
    }
    return c;
}

/* Two regions that only read: each maps the pointee, so the second one's pointee is another copy, and the record, which
 * stays, can point to one of them at a time. */
static void check_pointee_comes_and_goes(bool llvm_22)
{
    construct_t c = through_pointer(&record, llvm_22, ALLOC);
    run_one(&fake, NW_DATA_BEGIN, &record, sizeof record, NW_MAP_TO, NULL);
    nw_op_t *enter = construct_submit(&fake, &c, NW_DATA_BEGIN, NULL);
    fake_finish_all(&fake);
    op_free(enter);
    nw_op_t *region = construct_submit(&fake, &c, NW_TARGET, check_through_pointer);
    assert_true(fake_is_pending(&fake, region));
    /* The region still counts on the pointee, for others it is gone. */
    nw_op_t *leave = construct_submit(&fake, &c, NW_DATA_END, NULL);
    nw_op_t *later = construct_submit(&fake, &c, NW_TARGET, check_through_pointer);
    if (fake_is_pending(&fake, later))
        fake_finish(&fake, later);
    fake_finish(&fake, region);
    fake_finish_all(&fake);
    op_free(region);
    op_free(later);
    op_free(leave);
    run_one(&fake, NW_DATA_END, &record, sizeof record, RELEASE, NULL);
    assert_int_equal(fake_count_live(&fake), 0);
}

static void a_pointer_stays_as_long_as_a_region_follows_it(void **state)
{
    (void)state;
    check_pointee_comes_and_goes(false);
}

static void an_attached_pointer_stays_as_long_as_a_region_follows_it(void **state)
{
    (void)state;
    check_pointee_comes_and_goes(true);
}

/* Regions of all threads read the same data through the pointer of one record that stays mapped. */
static void *read_through_common_pointer(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    for (int i = 0; i < 150; i++) {
        construct_t c = through_pointer(&record, random_below(&random, 2), ALLOC);
        nw_op_t *first = construct_submit(&fake, &c, NW_TARGET, check_through_pointer);
        nw_op_t *second = construct_submit(&fake, &c, NW_TARGET, check_through_pointer);
        end(second);
        end(first);
    }
    return NULL;
}

static void regions_of_all_threads_follow_one_pointer(void **state)
{
    (void)state;
    construct_t c = {0};
    construct_map(&c, &record, sizeof record, NW_MAP_TO);
    construct_run_now(&fake, &c, NW_DATA_BEGIN, NULL);
    run_threads(read_through_common_pointer);
    c.types[0] = RELEASE;
    construct_run_now(&fake, &c, NW_DATA_END, NULL);
}

static nw_op_t *launch_with(uint64_t *random, nw_construct_kind_t kind, record_t *r)
{
    construct_t c = through_pointer(r, random_below(random, 2), NW_MAP_TO);
    return construct_submit(&fake, &c, kind, kind == NW_TARGET ? check_through_pointer : NULL);
}

/* Records that come and go and point to data which all threads map. */
static void *attach_own_records(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    for (int i = 0; i < 150; i++) {
        record_t *r = malloc(sizeof *r);
        if (!r)
            continue;
        *r = (record_t){.before = 10, .data = values, .after = 20};
        construct_t c = through_pointer(r, false, RELEASE);
        nw_op_t *enter = launch_with(&random, NW_DATA_BEGIN, r);
        nw_op_t *region = launch_with(&random, NW_TARGET, r);
        nw_op_t *leave = construct_submit(&fake, &c, NW_DATA_END, NULL);
        end(leave);
        end(region);
        end(enter);
        expect(r->data == values);
        free(r);
    }
    return NULL;
}

static void pointers_of_all_threads_are_attached_to_the_same_data(void **state)
{
    (void)state;
    run_threads(attach_own_records);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(recycled_host_addresses_are_mapped_by_other_threads),
        TEST(neighbouring_bytes_are_mapped_by_other_threads),
        TEST(a_dying_mapping_is_mapped_again_after_its_copies),
        TEST(threads_map_the_same_dying_data_again),
        TEST(a_pointer_stays_as_long_as_a_region_follows_it),
        TEST(an_attached_pointer_stays_as_long_as_a_region_follows_it),
        TEST(regions_of_all_threads_follow_one_pointer),
        TEST(pointers_of_all_threads_are_attached_to_the_same_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
