/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Holding parts of the mapping table: threads that meet over data of their own come to hold shards of their own, and
 * the table stays the same one however it is cut and joined. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/stats.h"
#include "support/fake_device.h"
#include "support/harness.h"

static fake_device_t fake;
#define TABLE (&fake.core.map)

enum { ARENA = 1 << 16, ENOUGH = 64 };
static _Alignas(4096) char arena[ARENA];

static int set_up(void **state)
{
    (void)state;
    nw_settings.stats = true;
    fake_device_init(&fake);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    return 0;
}

/* --- meeting on purpose ------------------------------------------------------------------------------------------- */

static uint64_t conflicts(void)
{
    return atomic_load(&nw_stats_counters[NW_STAT_MAP_CONFLICTS]);
}

static uint32_t ranges(void)
{
    return atomic_load(&TABLE->directories[atomic_load(&TABLE->version) & 1].n);
}

typedef struct holder {
    char *host;
    size_t size;
    _Atomic bool done;
} holder_t;

/* size 0: it only looks. */
static void *hold_once(void *argument)
{
    holder_t *holder = argument;
    nw_map_hold_t hold = holder->size ? nw_map_hold_range(TABLE, holder->host, holder->size)
                                      : nw_map_hold_to_look(TABLE, holder->host);
    nw_map_release(TABLE, hold);
    atomic_store(&holder->done, true);
    return NULL;
}

/* This thread holds one range while another tries to hold the second. False if they did not meet. */
static bool meet(char *mine, size_t my_size, char *other, size_t other_size)
{
    holder_t holder = {.host = other, .size = other_size};
    pthread_t thread;
    uint64_t before = conflicts();
    nw_map_hold_t hold = nw_map_hold_range(TABLE, mine, my_size);
    assert_int_equal(pthread_create(&thread, NULL, hold_once, &holder), 0);
    while (conflicts() == before && !atomic_load(&holder.done))
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    bool met = !atomic_load(&holder.done);
    nw_map_release(TABLE, hold);
    pthread_join(thread, NULL);
    return met;
}

/* Has two threads meet until they don't meet any more. False if they still do after ENOUGH times. */
static bool part(char *mine, size_t my_size, char *other, size_t other_size)
{
    for (int i = 0; i < ENOUGH; i++) {
        if (!meet(mine, my_size, other, other_size))
            return true;
    }
    return false;
}

static nw_mapping_t *insert(char *host, size_t size)
{
    nw_mapping_t *mapping = NULL;
    nw_map_hold_t hold = nw_map_hold_range(TABLE, host, size);
    assert_int_equal(nw_map_table_insert(TABLE, host, size, NULL, &mapping), NW_OK);
    nw_map_release(TABLE, hold);
    return mapping;
}

static void drop(nw_mapping_t *mapping)
{
    nw_map_hold_t hold = nw_map_hold_range(TABLE, mapping->host, (size_t)(mapping->host_end - mapping->host));
    if (mapping->live)
        nw_map_table_remove(TABLE, mapping, false);
    nw_map_table_discard(TABLE, mapping);
    nw_map_release(TABLE, hold);
}

static nw_presence_t look_up(char *host, size_t size, nw_mapping_t **mapping_p)
{
    *mapping_p = NULL;
    nw_map_hold_t hold = nw_map_hold_range(TABLE, host, size);
    nw_presence_t presence = nw_map_table_lookup(TABLE, host, size, mapping_p);
    nw_map_release(TABLE, hold);
    return presence;
}

/* --- by example --------------------------------------------------------------------------------------------------- */

static void threads_with_data_of_their_own_stop_meeting(void **state)
{
    (void)state;
    enum { THREADS = 8, EACH = 512 };
    assert_true(meet(arena, EACH, arena + EACH, EACH));
    for (int i = 0; i < THREADS; i++) {
        for (int k = 0; k < i; k++)
            assert_true(part(arena + i * EACH, EACH, arena + k * EACH, EACH));
    }
    assert_int_equal(ranges(), THREADS);
    /* All at once, each in its own. */
    uint64_t before = conflicts();
    nw_map_hold_t held[THREADS], all = 0;
    for (int i = 0; i < THREADS; i++) {
        held[i] = nw_map_hold_range(TABLE, arena + i * EACH, EACH);
        assert_int_equal(all & held[i], 0);
        all |= held[i];
    }
    for (int i = 0; i < THREADS; i++)
        nw_map_release(TABLE, held[i]);
    assert_true(conflicts() == before);
    assert_true(nw_map_holds_all(TABLE, all));
}

static void threads_on_the_same_data_leave_the_table_whole(void **state)
{
    (void)state;
    assert_false(part(arena, 64, arena, 64));
    assert_false(part(arena, 64, arena + 32, 64));
    assert_int_equal(ranges(), 1);
}

/* They would meet between any two mappings, and leave no shard to those with data of their own. */
static void threads_that_only_look_leave_the_table_whole(void **state)
{
    (void)state;
    assert_false(part(arena, 64, arena + 512, 0));
    assert_int_equal(ranges(), 1);
}

static void few_meetings_cut_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        assert_true(meet(arena, 64, arena + 4096, 64));
        for (int k = 0; k < 1000; k++) {
            nw_map_hold_t hold = nw_map_hold_range(TABLE, arena, 64);
            nw_map_table_number_construct(TABLE, hold);
            nw_map_release(TABLE, hold);
        }
    }
    assert_int_equal(ranges(), 1);
}

static void no_mapping_is_cut(void **state)
{
    (void)state;
    nw_mapping_t *live = insert(arena + 64, 1024), *ending = insert(arena + 2048, 1024);
    assert_false(part(arena + 64, 8, arena + 1000, 8));
    nw_map_hold_t hold = nw_map_hold_range(TABLE, arena + 2048, 1024);
    nw_map_table_remove(TABLE, ending, true);
    nw_map_release(TABLE, hold);
    assert_false(part(arena + 2048, 8, arena + 3000, 8));
    assert_int_equal(ranges(), 1);
    assert_true(part(arena + 64, 8, arena + 2048, 8));
    drop(live);
    drop(ending);
}

static void what_lies_in_several_shards_is_found(void **state)
{
    (void)state;
    nw_mapping_t *a = insert(arena, 256), *b = insert(arena + 8192, 256), *found;
    b->base = arena + 1024;
    assert_true(part(arena, 256, arena + 2048, 256));
    assert_true(part(arena + 2048, 256, arena + 8192, 256));
    assert_int_equal(ranges(), 3);
    assert_int_equal(look_up(arena + 256, 4096, &found), NW_ABSENT);
    assert_int_equal(look_up(arena + 256, 8192, &found), NW_PARTIAL);
    assert_ptr_equal(found, b);
    assert_int_equal(look_up(arena + 100, 10000, &found), NW_PARTIAL);
    assert_ptr_equal(found, a);
    assert_int_equal(look_up(arena + 8192, 256, &found), NW_PRESENT);
    nw_map_hold_t hold = nw_map_hold(TABLE, NULL);
    assert_true(nw_map_holds_all(TABLE, hold));
    assert_ptr_equal(nw_map_table_find_by_base(TABLE, arena + 1024), b);
    assert_null(nw_map_table_find_by_base(TABLE, arena + 1023));
    assert_null(nw_map_table_find_by_base(TABLE, arena + 9000));
    nw_map_release(TABLE, hold);
    capture_begin();
    nw_map_table_dump(TABLE, &test_place, 3, stderr);
    assert_int_equal(count_lines(capture_end()), 4);
    drop(a);
    drop(b);
}

static void a_mapping_over_a_border_joins_the_shards(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_true(part(arena + 1024 * i, 16, arena + 1024 * (i + 1), 16));
    assert_int_equal(ranges(), 5);
    nw_mapping_t *neighbour = insert(arena + 4096, 16), *found;
    nw_mapping_t *large = insert(arena + 512, 3000);
    assert_int_equal(ranges(), 3);
    assert_int_equal(look_up(arena + 2000, 100, &found), NW_PRESENT);
    assert_ptr_equal(found, large);
    assert_int_equal(look_up(arena + 4096, 16, &found), NW_PRESENT);
    assert_ptr_equal(found, neighbour);
    /* The border that is left is behind it, and what lies there is not held with it. */
    assert_false(meet(arena + 512, 3000, arena + 4096, 16));
    assert_true(meet(arena + 512, 8, arena + 3000, 8));
    drop(large);
    assert_true(part(arena + 512, 8, arena + 3000, 8));
    drop(neighbour);
}

static void shards_without_mappings_are_used_again(void **state)
{
    (void)state;
    enum { N = 3 * NW_MAP_SHARDS, SIZE = 64 };
    for (int i = 0; i + 1 < N; i++)
        assert_true(part(arena + i * SIZE, 16, arena + (i + 1) * SIZE, 16));
    assert_int_equal(ranges(), NW_MAP_SHARDS);
    assert_int_equal(TABLE->n_shards, NW_MAP_SHARDS);
}

enum { PLACES = 2 * NW_MAP_SHARDS, EACH = 64 };

static void insert_places(nw_mapping_t **mappings)
{
    for (int i = 0; i < PLACES; i++)
        mappings[i] = insert(arena + i * EACH, EACH);
}

/* Has threads meet between all places, and `meanwhile` run before each time. Returns how often they parted. */
static int part_places(void (*meanwhile)(void))
{
    int parted = 0;
    for (int i = 0; i + 1 < PLACES; i++) {
        if (meanwhile)
            meanwhile();
        parted += part(arena + i * EACH, EACH, arena + (i + 1) * EACH, EACH);
    }
    return parted;
}

static void check_and_drop_places(nw_mapping_t **mappings)
{
    nw_mapping_t *found;
    for (int i = 0; i < PLACES; i++) {
        assert_int_equal(look_up(arena + i * EACH, EACH, &found), NW_PRESENT);
        assert_ptr_equal(found, mappings[i]);
    }
    nw_map_hold_t hold = nw_map_hold(TABLE, NULL);
    assert_true(nw_map_holds_all(TABLE, hold));
    nw_map_release(TABLE, hold);
    for (int i = 0; i < PLACES; i++)
        drop(mappings[i]);
}

/* A construct on all that is mapped. */
static void use_all(void)
{
    nw_map_hold_t hold = nw_map_hold(TABLE, NULL);
    nw_map_table_number_construct(TABLE, hold);
    nw_map_release(TABLE, hold);
}

/* Every meeting asks for a cut, so that the shards would count as idle if they were not used in between. */
static void shards_in_use_stay_as_they_are(void **state)
{
    nw_mapping_t *mappings[PLACES];
    (void)state;
    TABLE->idle_ns = 0;
    insert_places(mappings);
    TABLE->conflicts_to_cut = ENOUGH - 1;
    assert_int_equal(part_places(use_all), NW_MAP_SHARDS - 1);
    assert_int_equal(ranges(), NW_MAP_SHARDS);
    check_and_drop_places(mappings);
}

static void idle_shards_are_joined_for_threads_that_meet(void **state)
{
    nw_mapping_t *mappings[PLACES];
    (void)state;
    TABLE->idle_ns = 0;
    insert_places(mappings);
    assert_int_equal(part_places(NULL), PLACES - 1);
    assert_int_equal(ranges(), NW_MAP_SHARDS);
    assert_int_equal(TABLE->n_shards, NW_MAP_SHARDS);
    check_and_drop_places(mappings);
}

static void shards_are_not_idle_before_their_time(void **state)
{
    nw_mapping_t *mappings[PLACES];
    (void)state;
    TABLE->idle_ns = INT64_MAX;
    insert_places(mappings);
    assert_int_equal(part_places(NULL), NW_MAP_SHARDS - 1);
    assert_int_equal(ranges(), NW_MAP_SHARDS);
    check_and_drop_places(mappings);
}

static void check_all(nw_mapping_t *const *mappings, int n, size_t size)
{
    nw_mapping_t *found;
    for (int i = 0; i < n; i++) {
        char *host = arena + (size_t)i * size;
        assert_int_equal(look_up(host, size, &found), mappings[i] ? NW_PRESENT : NW_ABSENT);
        assert_ptr_equal(found, mappings[i]);
        assert_int_equal(look_up(host + size / 2, 1, &found), mappings[i] ? NW_PRESENT : NW_ABSENT);
        assert_ptr_equal(found, mappings[i]);
    }
}

/* More mappings than a shard has hints for at first, which grow with them and are forgotten where mappings move. */
static void a_large_table_finds_what_it_has(void **state)
{
    (void)state;
    enum { MANY = 4096, SIZE = ARENA / MANY, STEP = 1301 };
    static nw_mapping_t *mappings[MANY];
    for (int i = 0, at = 0; i < MANY; i++, at = (at + STEP) % MANY)
        mappings[at] = insert(arena + at * SIZE, SIZE);
    assert_true((size_t)1 << TABLE->first.hints_log2 >= (size_t)2 * MANY);
    for (int i = 0; i < MANY; i++)
        assert_non_null(*nw_map_shard_hint(&TABLE->first, arena + i * SIZE));
    check_all(mappings, MANY, SIZE);
    assert_true(part(arena, SIZE, arena + (MANY - 1) * SIZE, SIZE));
    check_all(mappings, MANY, SIZE);
    for (int i = 0; i < MANY; i += 2) {
        drop(mappings[i]);
        mappings[i] = NULL;
    }
    check_all(mappings, MANY, SIZE);
    for (int i = 0; i < MANY; i += 4)
        mappings[i] = insert(arena + i * SIZE, SIZE);
    check_all(mappings, MANY, SIZE);
    for (int i = 0; i < MANY; i++) {
        if (mappings[i])
            drop(mappings[i]);
    }
}

static void numbers_of_constructs_tell_their_order(void **state)
{
    (void)state;
    assert_true(part(arena, 16, arena + 1024, 16));
    nw_map_hold_t a = nw_map_hold_range(TABLE, arena, 16), b = nw_map_hold_range(TABLE, arena + 1024, 16);
    assert_int_equal(a & b, 0);
    uint64_t numbers[6];
    numbers[0] = nw_map_table_number_construct(TABLE, a);
    numbers[1] = nw_map_table_number_construct(TABLE, a);
    numbers[2] = nw_map_table_number_construct(TABLE, b);
    numbers[3] = nw_map_table_number_construct(TABLE, a | b);
    numbers[4] = nw_map_table_number_construct(TABLE, a);
    numbers[5] = nw_map_table_number_construct(TABLE, b);
    assert_true(numbers[0] < numbers[1] && numbers[1] < numbers[3] && numbers[2] < numbers[3]);
    assert_true(numbers[3] < numbers[4] && numbers[3] < numbers[5]);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++)
            assert_true(numbers[i] != numbers[k]);
    }
    nw_map_release(TABLE, a);
    nw_map_release(TABLE, b);
}

/* --- at random, against a list ------------------------------------------------------------------------------------ */

enum { MODEL = 64, BYTES = 1024, STEPS = 4000 };
static struct model {
    nw_mapping_t *mapping;
    char *begin, *end;
    bool ends;
} model[MODEL];
static size_t n_model;

static void compare_lookup(char *host, size_t size)
{
    nw_mapping_t *found, *expected = NULL;
    nw_presence_t presence = NW_ABSENT;
    for (size_t i = 0; i < n_model; i++) {
        const struct model *m = &model[i];
        if (m->ends || m->begin >= host + size || host >= m->end)
            continue;
        presence = m->begin <= host && host + size <= m->end ? NW_PRESENT : NW_PARTIAL;
        expected = m->mapping;
        if (m->begin <= host)
            break;
    }
    assert_int_equal(look_up(host, size, &found), presence);
    if (presence == NW_PRESENT)
        assert_ptr_equal(found, expected);
    if (presence == NW_PARTIAL)
        assert_true(found && found->live && found->host < host + size && host < found->host_end);
}

/* The ending mappings of a mapping's range. */
static void compare_endings(const struct model *range)
{
    size_t expected = 0, n = 0, size = (size_t)(range->end - range->begin);
    for (size_t i = 0; i < n_model; i++)
        expected += model[i].ends && model[i].begin < range->end && range->begin < model[i].end;
    nw_map_hold_t hold = nw_map_hold_range(TABLE, range->begin, size);
    for (nw_mapping_t *m = nw_map_table_next_ending(TABLE, range->begin, size, NULL); m;
         m = nw_map_table_next_ending(TABLE, range->begin, size, m))
        n++;
    nw_map_release(TABLE, hold);
    assert_int_equal(n, expected);
}

static void remove_one(struct model *m, uint64_t *random)
{
    if (!m->ends && random_below(random, 2)) {
        nw_map_hold_t hold = nw_map_hold_range(TABLE, m->begin, (size_t)(m->end - m->begin));
        nw_map_table_remove(TABLE, m->mapping, true);
        nw_map_release(TABLE, hold);
        m->ends = true;
        return;
    }
    drop(m->mapping);
    *m = model[--n_model];
}

static void random_operations_agree_with_a_list(void **state)
{
    (void)state;
    uint64_t random = 2025;
    uint32_t most = 0;
    n_model = 0;
    for (int step = 0; step < STEPS; step++) {
        char *host = arena + random_below(&random, BYTES);
        size_t size = 1 + random_below(&random, random_below(&random, 8) ? 24 : BYTES);
        nw_mapping_t *found;
        if (random_below(&random, 20) == 0)
            (void)part(host, 1, arena + random_below(&random, BYTES), 1);
        else if (random_below(&random, 2) && n_model < MODEL) {
            if (look_up(host, size, &found) == NW_ABSENT)
                model[n_model++] = (struct model){insert(host, size), host, host + size, false};
        } else if (n_model > 0) {
            remove_one(&model[random_below(&random, (uint32_t)n_model)], &random);
        }
        most = ranges() > most ? ranges() : most;
        compare_lookup(arena + random_below(&random, BYTES), 1 + random_below(&random, 100));
        if (n_model > 0)
            compare_endings(&model[random_below(&random, (uint32_t)n_model)]);
    }
    assert_true(most > 4);
    while (n_model > 0)
        drop(model[--n_model].mapping);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(threads_with_data_of_their_own_stop_meeting),
        TEST(threads_on_the_same_data_leave_the_table_whole),
        TEST(threads_that_only_look_leave_the_table_whole),
        TEST(few_meetings_cut_nothing),
        TEST(no_mapping_is_cut),
        TEST(what_lies_in_several_shards_is_found),
        TEST(a_mapping_over_a_border_joins_the_shards),
        TEST(shards_without_mappings_are_used_again),
        TEST(shards_in_use_stay_as_they_are),
        TEST(idle_shards_are_joined_for_threads_that_meet),
        TEST(shards_are_not_idle_before_their_time),
        TEST(a_large_table_finds_what_it_has),
        TEST(numbers_of_constructs_tell_their_order),
        TEST(random_operations_agree_with_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
