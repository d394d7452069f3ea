/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The registry of target regions: found by their ids from registration until they are taken back, in any number. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/images.h"
#include "core/stats.h"
#include "support/harness.h"

typedef struct old_entry {
    void *address;
    const char *name;
    uint64_t size;
    int32_t flags, data;
} old_entry_t;

enum { MANY = 3000 };
static char ids[4][MANY];

/* A library with one region for each of n bytes of ids. */
static nw_library_description_t *make_library(char *first_id, size_t n)
{
    nw_library_description_t *description = calloc(1, sizeof *description);
    old_entry_t *entries = calloc(n ? n : 1, sizeof *entries);
    assert_non_null(description);
    assert_non_null(entries);
    for (size_t i = 0; i < n; i++)
        entries[i] = (old_entry_t){.address = first_id + i, .name = "region"};
    description->entries_begin = entries;
    description->entries_end = entries + n;
    return description;
}

static void free_library(nw_library_description_t *description)
{
    free(description->entries_begin);
    free(description);
}

static void regions_are_found_while_they_are_registered(void **state)
{
    (void)state;
    nw_library_description_t *first = make_library(ids[0], 5), *second = make_library(ids[1], 7);
    uint64_t before = nw_images_generation();
    assert_true(before != 0);
    assert_null(nw_images_region(&ids[0][0]));
    nw_images_register(first);
    assert_true(nw_images_generation() != before);
    nw_images_register(second);
    for (int i = 0; i < 5; i++)
        assert_ptr_equal(nw_images_region(&ids[0][i])->id, &ids[0][i]);
    assert_null(nw_images_region(&ids[0][5]));
    nw_images_unregister(first);
    for (int i = 0; i < 5; i++)
        assert_null(nw_images_region(&ids[0][i]));
    for (int i = 0; i < 7; i++)
        assert_ptr_equal(nw_images_region(&ids[1][i])->id, &ids[1][i]);
    nw_images_unregister(first);
    nw_images_unregister(second);
    assert_null(nw_images_region(&ids[1][0]));
    free_library(first);
    free_library(second);
}

static void the_null_id_is_no_region(void **state)
{
    (void)state;
    /* Enough of them that some lie where a search for NULL begins: the places of regions that were taken back must not
     * answer it. */
    for (int i = 0; i < 200; i++) {
        nw_library_description_t *library = make_library(&ids[0][i * 10], 10);
        nw_images_register(library);
        assert_null(nw_images_region(NULL));
        nw_images_unregister(library);
        assert_null(nw_images_region(NULL));
        free_library(library);
    }
}

static void many_regions_and_many_reloads_do_not_get_lost(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        nw_library_description_t *library = make_library(ids[2], MANY);
        nw_images_register(library);
        for (int i = 0; i < MANY; i++)
            assert_non_null(nw_images_region(&ids[2][i]));
        assert_null(nw_images_region(&ids[3][0]));
        nw_images_unregister(library);
        for (int i = 0; i < MANY; i += 7)
            assert_null(nw_images_region(&ids[2][i]));
        free_library(library);
    }
}

static void variables_and_empty_entries_are_no_regions(void **state)
{
    (void)state;
    static char id;
    nw_library_description_t *library = make_library(&id, 3);
    old_entry_t *entries = library->entries_begin;
    entries[0].size = 4;
    entries[1].name = NULL;
    entries[2].address = NULL;
    nw_images_register(library);
    assert_null(nw_images_region(&id));
    assert_null(nw_images_region(&id + 1));
    nw_images_unregister(library);
    free_library(library);
}

static void an_unknown_layout_gets_one_line_and_no_regions(void **state)
{
    (void)state;
    nw_library_description_t *library = make_library(ids[0], 3);
    library->entries_end = (char *)library->entries_begin + 40;
    capture_begin();
    nw_images_register(library);
    const char *text = capture_end();
    assert_int_equal(count_lines(text), 1);
    assert_non_null(strstr(text, "layout"));
    assert_null(nw_images_region(&ids[0][0]));
    nw_images_unregister(library);
    free_library(library);
}

static void *look_up_all(void *stop)
{
    while (!atomic_load_explicit((_Atomic bool *)stop, memory_order_relaxed)) {
        for (int i = 0; i < 64; i++)
            assert_non_null(nw_images_region(&ids[0][i]));
    }
    return NULL;
}

static void lookups_go_on_while_other_libraries_come(void **state)
{
    (void)state;
    static _Atomic bool stop;
    nw_library_description_t *first = make_library(ids[0], 64), *others[20];
    pthread_t reader;
    nw_images_register(first);
    assert_int_equal(pthread_create(&reader, NULL, look_up_all, &stop), 0);
    for (int i = 0; i < 20; i++) {
        others[i] = make_library(&ids[1][100 * i], 100);
        nw_images_register(others[i]);
    }
    atomic_store(&stop, true);
    pthread_join(reader, NULL);
    for (int i = 0; i < 20; i++) {
        nw_images_unregister(others[i]);
        free_library(others[i]);
    }
    nw_images_unregister(first);
    free_library(first);
}

static _Atomic bool ended;

static void *end_region(void *region)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    atomic_store(&ended, true);
    nw_region_leave(region);
    return NULL;
}

static void unregistering_waits_for_the_librarys_regions_in_flight(void **state)
{
    (void)state;
    nw_library_description_t *library = make_library(ids[0], 1);
    pthread_t thread;
    nw_images_register(library);
    nw_region_t *region = nw_images_region(&ids[0][0]);
    nw_region_enter(region);
    assert_int_equal(pthread_create(&thread, NULL, end_region, region), 0);
    nw_images_unregister(library);
    assert_true(atomic_load(&ended));
    pthread_join(thread, NULL);
    free_library(library);
}

/* A region of another library may itself be waiting for what follows the unregistering: the watchdog would tell. */
static void unregistering_does_not_wait_for_other_libraries(void **state)
{
    (void)state;
    nw_library_description_t *busy = make_library(ids[0], 1), *library = make_library(ids[1], 1);
    nw_images_register(busy);
    nw_images_register(library);
    nw_region_t *region = nw_images_region(&ids[0][0]);
    nw_region_enter(region);
    nw_stats_region_begins();
    nw_images_unregister(library);
    assert_null(nw_images_region(&ids[1][0]));
    nw_stats_region_ends();
    nw_region_leave(region);
    nw_images_unregister(busy);
    free_library(library);
    free_library(busy);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_found_while_they_are_registered),
        cmocka_unit_test(the_null_id_is_no_region),
        cmocka_unit_test(many_regions_and_many_reloads_do_not_get_lost),
        cmocka_unit_test(variables_and_empty_entries_are_no_regions),
        cmocka_unit_test(an_unknown_layout_gets_one_line_and_no_regions),
        cmocka_unit_test(lookups_go_on_while_other_libraries_come),
        cmocka_unit_test(unregistering_waits_for_the_librarys_regions_in_flight),
        cmocka_unit_test(unregistering_does_not_wait_for_other_libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
