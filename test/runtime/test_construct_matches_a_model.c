/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random programs of map operations from several threads on one device, whose works run on other threads in random
 * order and with delays, against a model that does the same actions one at a time, in the order in which the table
 * decided them (support/map_model.h).
 *
 *     test_construct_matches_a_model [SEED [ROUNDS]]      without a seed: a fixed list of them
 *
 * The cells are cut into neighbouring blocks anew in each round. All threads work on all blocks at once, with ends of
 * mappings pending; what may be done with a block keeps the program's outcome determined:
 *
 *   exact    every map names the whole block, an end may name a part of it
 *   held     the block stays mapped throughout: maps name any part, nested ranges of all sizes
 *   loose    maps name any part, implicitly, so that ranges overlap partly
 *
 *   kept     whatever ends a mapping copies back
 *   lost     nothing copies back, mappings end by release, delete, and with maps that only copy in
 *
 * In the last case but one another thread holds parts of the table for a while, so that everybody meets it: the table
 * is cut into shards and joined again all the time.
 *
 * In the last, data that is in use is taken over (core/reuse.h), of any size. A kernel on a copy that is not brought
 * back then leaves it as it is: whether another construct shares the copy with it is a matter of time.
 *
 * Blocks of one thread see everything else too: update, always, and changes by the host, with that thread's own
 * operations over before and after. Between two phases, when all is quiet, model and table are compared.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/stats.h"
#include "support/fake_device.h"
#include "support/harness.h"
#include "support/map_model.h"

enum {
    MAX_THREADS = 4,
    STEPS = 40, /* of a thread in a phase */
    PHASES = 3, /* of a round */
    MAX_IN_FLIGHT = 24,
    MAX_BLOCK = 12,
    TOFROM = NW_MAP_TO | NW_MAP_FROM,
};

typedef enum use { EXACT, HELD, LOOSE } use_t;

typedef struct block {
    int begin, end;
    use_t use;
    bool kept;
    int owner; /* a thread, or -1: all */
} block_t;

typedef struct worker {
    int number;
    uint64_t random;
    map_action_t done[STEPS + MODEL_CELLS];
    int n_done;
    nw_op_t *in_flight[MAX_IN_FLIGHT];
    int n_in_flight;
} worker_t;

static fake_device_t fake;
static uint32_t host[MODEL_CELLS];
static map_model_t model;
static block_t blocks[MODEL_CELLS];
static int n_blocks, n_threads;
static worker_t workers[MAX_THREADS + 1]; /* the last is the main thread, for what happens at quiet points */
static pthread_barrier_t barrier;
static bool over;
static bool reuses; /* data in use is taken over */
static uint64_t seed;

static void wait_for_own(worker_t *w)
{
    for (int i = 0; i < w->n_in_flight; i++) {
        nw_op_wait(w->in_flight[i]);
        op_free(w->in_flight[i]);
    }
    w->n_in_flight = 0;
}

/* Launches an action, now and then as a construct without nowait. */
static void launch(worker_t *w, const map_action_t *action)
{
    map_action_t *done = &w->done[w->n_done++];
    *done = *action;
    if (w->n_in_flight == MAX_IN_FLIGHT || random_below(&w->random, 40) == 0)
        wait_for_own(w);
    bool waited_for = random_below(&w->random, 8) == 0;
    nw_op_t *op = map_action_decide(&fake, done, host, waited_for);
    if (!waited_for) {
        nw_op_submit(op);
        w->in_flight[w->n_in_flight++] = op;
        return;
    }
    assert_int_equal(nw_op_run(op), NW_OK);
    op_free(op);
}

/* --- what a thread may do with a block ---------------------------------------------------------------------------- */

static uint64_t one_of(worker_t *w, const uint64_t *types, uint32_t n)
{
    return types[random_below(&w->random, n)];
}

#define ONE_OF(w, ...) \
    one_of(w, (const uint64_t[]){__VA_ARGS__}, (uint32_t)(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)))

static void choose_range(worker_t *w, const block_t *b, bool whole, map_entry_t *e)
{
    uint32_t length = (uint32_t)(b->end - b->begin);
    *e = (map_entry_t){.begin = b->begin, .end = b->end};
    if (whole)
        return;
    e->begin = b->begin + (int)random_below(&w->random, length);
    e->end = e->begin + 1 + (int)random_below(&w->random, (uint32_t)(b->end - e->begin));
}

static map_entry_t begin_entry(worker_t *w, const block_t *b, nw_construct_kind_t kind)
{
    map_entry_t e;
    choose_range(w, b, b->use == EXACT, &e);
    if (kind == NW_TARGET)
        e.type = b->kept ? ONE_OF(w, TOFROM, TOFROM, NW_MAP_FROM) : ONE_OF(w, NW_MAP_TO, 0);
    else
        e.type = ONE_OF(w, NW_MAP_TO, NW_MAP_TO, 0, b->kept ? TOFROM : 0);
    e.type |= ONE_OF(w, 0, 0, 0, NW_MAP_CLOSE);
    if (b->use == HELD)
        e.type |= ONE_OF(w, 0, NW_MAP_PRESENT);
    /* A hold of a held block is the main thread's to end. */
    if (kind == NW_TARGET || b->use != HELD)
        e.type |= ONE_OF(w, 0, 0, NW_MAP_HOLD);
    if (b->use == LOOSE)
        e.type |= NW_MAP_IMPLICIT;
    if (!b->kept && b->use != LOOSE && random_below(&w->random, 12) == 0)
        e.end = e.begin;
    return e;
}

static map_entry_t end_entry(worker_t *w, const block_t *b)
{
    map_entry_t e;
    choose_range(w, b, random_below(&w->random, 2) == 0, &e);
    e.type = b->kept ? NW_MAP_FROM : ONE_OF(w, 0, 0, NW_MAP_DELETE);
    if (b->use == LOOSE)
        e.type |= NW_MAP_IMPLICIT;
    if (b->use != HELD && !(e.type & NW_MAP_DELETE))
        e.type |= ONE_OF(w, 0, 0, NW_MAP_HOLD);
    if (!b->kept && random_below(&w->random, 12) == 0)
        e.end = e.begin;
    return e;
}

/* One to three blocks in any order, a block now and then twice. */
static void several_at_once(worker_t *w)
{
    nw_construct_kind_t kind = (nw_construct_kind_t)ONE_OF(w, NW_TARGET, NW_TARGET, NW_TARGET, NW_DATA_BEGIN,
                                                           NW_DATA_END);
    map_action_t action = {.kind = kind, .amount = random_below(&w->random, 1000)};
    uint64_t taken = 0;
    for (uint32_t n = 1 + random_below(&w->random, 3); n > 0 && action.n < MODEL_ENTRIES; n--) {
        uint32_t i = random_below(&w->random, (uint32_t)n_blocks);
        const block_t *b = &blocks[i];
        if ((b->owner >= 0 && b->owner != w->number) || (taken & UINT64_C(1) << i))
            continue;
        taken |= UINT64_C(1) << i;
        if (reuses && !b->kept && b->use != HELD)
            action.amount = 0;
        action.entries[action.n++] = kind == NW_DATA_END ? end_entry(w, b) : begin_entry(w, b, kind);
        if (action.n < MODEL_ENTRIES && random_below(&w->random, 8) == 0) {
            action.entries[action.n] = action.entries[action.n - 1];
            action.n++;
        }
    }
    if (action.n > 0)
        launch(w, &action);
}

/* What needs an order that the thread gives by waiting. */
static void alone(worker_t *w, const block_t *b)
{
    map_action_t action = {.n = 1, .amount = random_below(&w->random, 1000)};
    map_entry_t *e = &action.entries[0];
    choose_range(w, b, b->use == EXACT, e);
    switch (random_below(&w->random, 3)) {
    case 0:
        action.kind = NW_DATA_UPDATE;
        e->type = ONE_OF(w, NW_MAP_TO, NW_MAP_FROM);
        action.writes_host = e->type == NW_MAP_TO;
        break;
    case 1:
        action.kind = NW_TARGET;
        e->type = NW_MAP_ALWAYS | ONE_OF(w, TOFROM, NW_MAP_TO, NW_MAP_FROM);
        action.writes_host = (e->type & NW_MAP_TO) != 0;
        break;
    case 2:
        action.kind = NW_DATA_END;
        e->type = NW_MAP_FROM | ONE_OF(w, 0, NW_MAP_ALWAYS);
        break;
    }
    if (b->use == LOOSE)
        e->type |= NW_MAP_IMPLICIT;
    wait_for_own(w);
    if (action.writes_host) {
        action.first_value = random_next(&w->random);
        for (int i = e->begin; i < e->end; i++)
            host[i] = action.first_value + (uint32_t)(i - e->begin);
    }
    launch(w, &action);
    wait_for_own(w);
}

static void one_step(worker_t *w)
{
    const block_t *b = &blocks[random_below(&w->random, (uint32_t)n_blocks)];
    if (b->owner == w->number && random_below(&w->random, 3) == 0)
        alone(w, b);
    else
        several_at_once(w);
}

static void *worker_main(void *argument)
{
    worker_t *w = argument;
    for (;;) {
        pthread_barrier_wait(&barrier);
        if (over)
            return NULL;
        for (int i = 0; i < STEPS; i++)
            one_step(w);
        wait_for_own(w);
        pthread_barrier_wait(&barrier);
    }
}

/* --- the main thread, at quiet points ----------------------------------------------------------------------------- */

static int compare_order(const void *a, const void *b)
{
    uint64_t x = (*(const map_action_t *const *)a)->order, y = (*(const map_action_t *const *)b)->order;
    return x < y ? -1 : x > y;
}

/* Has the model do what has been done since the last time, in the table's order, and compares. */
static void check(void)
{
    static const map_action_t *all[(MAX_THREADS + 1) * (STEPS + MODEL_CELLS)];
    size_t n = 0;
    const char *difference = NULL;
    for (int t = 0; t <= MAX_THREADS; t++) {
        for (int i = 0; i < workers[t].n_done; i++)
            all[n++] = &workers[t].done[i];
        workers[t].n_done = 0;
    }
    qsort(all, n, sizeof all[0], compare_order);
    for (size_t i = 0; i < n && !difference; i++) {
        if (i > 0 && all[i]->order == all[i - 1]->order)
            difference = "two constructs have the same place in the order";
        else if (!map_model_apply(&model, all[i]))
            difference = "the model takes a construct for an error";
    }
    if (!difference)
        difference = map_model_differs(&model, &fake, host);
    if (difference)
        fail_msg("seed %llu: %s", (unsigned long long)seed, difference);
}

static void lay_out(worker_t *w)
{
    n_blocks = 0;
    for (int at = 0; at < MODEL_CELLS; n_blocks++) {
        int length = 1 + (int)random_below(&w->random, MAX_BLOCK), left = MODEL_CELLS - at;
        blocks[n_blocks] = (block_t){.begin = at,
                                     .end = at + (length < left ? length : left),
                                     .use = (use_t)random_below(&w->random, 3),
                                     .kept = random_below(&w->random, 3) > 0,
                                     .owner = random_below(&w->random, 3) == 0
                                                  ? (int)random_below(&w->random, (uint32_t)n_threads)
                                                  : -1};
        at = blocks[n_blocks].end;
    }
    for (int i = 0; i < n_blocks; i++) {
        const block_t *b = &blocks[i];
        map_action_t hold = {
            .kind = NW_DATA_BEGIN, .n = 1, .entries = {{b->begin, b->end, NW_MAP_TO | NW_MAP_HOLD}}};
        if (b->use == HELD)
            launch(w, &hold);
    }
    wait_for_own(w);
}

/* Updates blocks of all threads, for which a quiet point is the only time. */
static void update_some(worker_t *w)
{
    for (int i = 0; i < n_blocks; i++) {
        if (random_below(&w->random, 3) == 0)
            alone(w, &blocks[i]);
    }
}

/* Ends every mapping, and one or the other without a copy back. */
static void clear(worker_t *w)
{
    check();
    for (int i = 0; i < MODEL_CELLS; i++) {
        const model_mapping_t *m = &model.mappings[i];
        if (!m->used)
            continue;
        uint64_t type = m->hold > 0                   ? NW_MAP_FROM | NW_MAP_HOLD
                        : random_below(&w->random, 2) ? NW_MAP_DELETE
                                                      : NW_MAP_FROM;
        map_action_t end = {.kind = NW_DATA_END, .n = 1, .entries = {{m->begin, m->end, type}}};
        uint32_t n = m->hold > 0 ? m->hold : type & NW_MAP_DELETE ? 1 : m->dynamic;
        for (n = n < STEPS ? n : STEPS; n > 0; n--)
            launch(w, &end);
        wait_for_own(w);
        check();
        i -= m->used; /* again */
    }
}

static void run_rounds(int n_rounds)
{
    worker_t *w = &workers[MAX_THREADS];
    for (int round = 0; round < n_rounds; round++) {
        lay_out(w);
        for (int phase = 0; phase < PHASES; phase++) {
            check();
            pthread_barrier_wait(&barrier);
            pthread_barrier_wait(&barrier);
            check();
            update_some(w);
        }
        clear(w);
    }
}

/* --- meeting ------------------------------------------------------------------------------------------------------ */

static _Atomic bool stop_meeting;
static uint32_t most_ranges;

/* Holds a part of the table for some time, again and again. */
static void *meet_everybody(void *unused)
{
    const nw_map_table_t *table = &fake.core.map;
    uint64_t random = seed;
    (void)unused;
    while (!atomic_load(&stop_meeting)) {
        const uint32_t *begin = host + random_below(&random, MODEL_CELLS);
        nw_map_hold_t hold = nw_map_hold_range(&fake.core.map, (const char *)begin, sizeof *begin);
        uint32_t n = atomic_load(&table->directories[atomic_load(&table->version) & 1].n);
        most_ranges = n > most_ranges ? n : most_ranges;
        nanosleep(&(struct timespec){.tv_nsec = 1000 * random_below(&random, 50)}, NULL);
        nw_map_release(&fake.core.map, hold);
    }
    return NULL;
}

static void run_seed(int threads, int device_threads, uint32_t delay_us, bool meet, int n_rounds)
{
    pthread_t ids[MAX_THREADS], meeting;
    fake_device_init(&fake);
    fake.random = seed;
    fake.delay_us = delay_us;
    if (meet) {
        /* Cuts all the time, and soon joins for the next one. */
        fake.core.map.conflicts_to_cut = 1;
        fake.core.map.most_shards = 4;
        fake.core.map.idle_ns = 0;
    }
    fake_device_start_threads(&fake, (size_t)device_threads);
    memset(&model, 0, sizeof model);
    memset(host, 0, sizeof host);
    memset(workers, 0, sizeof workers);
    over = false;
    n_threads = threads;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
    for (int t = 0; t <= MAX_THREADS; t++) {
        workers[t].number = t;
        workers[t].random = seed * 1000 + (uint64_t)t;
        if (t < threads)
            assert_int_equal(pthread_create(&ids[t], NULL, worker_main, &workers[t]), 0);
    }
    /* Said before, so that it is known too if the program hangs or a sanitizer ends it. */
    printf("seed %llu: %d threads, %d device threads, %d rounds\n", (unsigned long long)seed, threads, device_threads,
           n_rounds);
    fflush(stdout);
    atomic_store(&stop_meeting, false);
    if (meet)
        assert_int_equal(pthread_create(&meeting, NULL, meet_everybody, NULL), 0);
    run_rounds(n_rounds);
    atomic_store(&stop_meeting, true);
    if (meet)
        pthread_join(meeting, NULL);
    over = true;
    pthread_barrier_wait(&barrier);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    pthread_barrier_destroy(&barrier);
    fake_device_destroy(&fake);
}

static uint64_t chosen_seed;
static int chosen_rounds = 20;

static void run_seeds(int threads, int device_threads, uint32_t delay_us, bool meet)
{
    uint64_t first = chosen_seed ? chosen_seed : 1, last = chosen_seed ? chosen_seed : 3;
    for (seed = first; seed <= last; seed++)
        run_seed(threads, device_threads, delay_us, meet, chosen_rounds);
}

static void one_thread_with_works_in_order(void **state)
{
    (void)state;
    run_seeds(1, 1, 0, false);
}

static void one_thread_with_works_in_any_order(void **state)
{
    (void)state;
    run_seeds(1, 3, 200, false);
}

static void several_threads_with_works_in_any_order(void **state)
{
    (void)state;
    run_seeds(MAX_THREADS, 3, 0, false);
}

static void several_threads_with_works_that_are_late(void **state)
{
    (void)state;
    run_seeds(MAX_THREADS, 3, 300, false);
}

static void several_threads_that_meet_all_the_time(void **state)
{
    (void)state;
    most_ranges = 0;
    run_seeds(MAX_THREADS, 3, 0, true);
    assert_true(most_ranges > 1);
}

static void data_in_use_is_taken_over(void **state)
{
    (void)state;
    int64_t reuse = nw_settings.reuse;
    bool stats = nw_settings.stats;
    uint64_t before = atomic_load(&nw_stats_counters[NW_STAT_DATA_REUSED]);
    nw_settings.reuse = 1;
    nw_settings.stats = reuses = true;
    run_seeds(1, 1, 0, false);
    run_seeds(1, 3, 200, false);
    run_seeds(MAX_THREADS, 3, 300, false);
    run_seeds(MAX_THREADS, 3, 0, true);
    nw_settings.reuse = reuse;
    nw_settings.stats = stats;
    reuses = false;
    assert_true(atomic_load(&nw_stats_counters[NW_STAT_DATA_REUSED]) > before);
}

int main(int argc, char **argv)
{
    watchdog(WATCHDOG_SECONDS);
    if (argc > 1)
        chosen_seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        chosen_rounds = atoi(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_with_works_in_order),
        cmocka_unit_test(one_thread_with_works_in_any_order),
        cmocka_unit_test(several_threads_with_works_in_any_order),
        cmocka_unit_test(several_threads_with_works_that_are_late),
        cmocka_unit_test(several_threads_that_meet_all_the_time),
        cmocka_unit_test(data_in_use_is_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
