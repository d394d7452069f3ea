/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random programs of data and target constructs from several threads on one device, whose works run on other threads
 * in random order, against a model that does the same at once and in program order.
 *
 * The programs are free of races by OpenMP's rules, so the outcome is determined: kernels add atomically, and what has
 * no order to regions in flight (update, always) happens at quiet points. Everything else stays in flight together.
 * Each thread has data of its own in the same pages, so that the table is shared and the outcome is not; one array that
 * all threads only read is mapped by all of them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/map_types.h"
#include "support/fake_device.h"
#include "support/harness.h"

enum { CELLS = 24, THREADS = 4, MAX_IN_FLIGHT = 48, TOFROM = NW_MAP_TO | NW_MAP_FROM };

static fake_device_t fake;
static const int common[4] = {1, 10, 100, 1000};

/* A mapping of the model: cells [begin, end). */
typedef struct model_mapping {
    int begin, end;
    int dynamic, hold;
    int device[CELLS];
} model_mapping_t;

typedef struct program {
    int *host; /* CELLS cells */
    uint64_t random;
    int n_steps;
    int model_host[CELLS];
    model_mapping_t mappings[CELLS];
    int n_mappings;
    nw_op_t *in_flight[MAX_IN_FLIGHT];
    int n_in_flight;
} program_t;

/* Arguments: the section's begin, its length, an amount by value, a firstprivate amount, the common array. */
static void add_amounts(const nw_launch_t *launch)
{
    int *section = (int *)launch->args[0];
    int length = (int)launch->args[1], amount = (int)launch->args[2];
    const int *private_amount = (const int *)launch->args[3], *table = (const int *)launch->args[4];
    for (int i = 0; i < length; i++)
        __atomic_fetch_add(&section[i], amount + *private_amount + table[i % 4], __ATOMIC_RELAXED);
}

static model_mapping_t *model_find(program_t *p, int begin, int end)
{
    for (int i = 0; i < p->n_mappings; i++) {
        if (p->mappings[i].begin <= begin && end <= p->mappings[i].end)
            return &p->mappings[i];
    }
    return NULL;
}

static bool model_absent(program_t *p, int begin, int end)
{
    for (int i = 0; i < p->n_mappings; i++) {
        if (p->mappings[i].begin < end && begin < p->mappings[i].end)
            return false;
    }
    return true;
}

static void model_begin(program_t *p, int begin, int end, uint64_t type)
{
    model_mapping_t *m = model_find(p, begin, end);
    bool fresh = !m;
    if (fresh) {
        m = &p->mappings[p->n_mappings++];
        *m = (model_mapping_t){.begin = begin, .end = end};
    }
    *(type & NW_MAP_HOLD ? &m->hold : &m->dynamic) += 1;
    if ((type & NW_MAP_TO) && (fresh || (type & NW_MAP_ALWAYS)))
        memcpy(&m->device[begin], &p->model_host[begin], (size_t)(end - begin) * sizeof(int));
}

static void model_end(program_t *p, int begin, int end, uint64_t type)
{
    model_mapping_t *m = model_find(p, begin, end);
    if (!m)
        return;
    if (type & NW_MAP_DELETE)
        m->dynamic = 0;
    else if (type & NW_MAP_HOLD)
        m->hold -= m->hold > 0;
    else
        m->dynamic -= m->dynamic > 0;
    bool last = m->dynamic + m->hold == 0;
    if ((type & NW_MAP_FROM) && (last || (type & NW_MAP_ALWAYS)))
        memcpy(&p->model_host[begin], &m->device[begin], (size_t)(end - begin) * sizeof(int));
    if (last)
        *m = p->mappings[--p->n_mappings];
}

static void wait_for_all(program_t *p)
{
    for (int i = 0; i < p->n_in_flight; i++) {
        nw_op_wait(p->in_flight[i]);
        op_free(p->in_flight[i]);
    }
    p->n_in_flight = 0;
}

static void check_quiet(program_t *p)
{
    wait_for_all(p);
    for (int i = 0; i < CELLS; i++) {
        if (p->host[i] != p->model_host[i])
            fail_msg("cell %d is %d, the model says %d", i, p->host[i], p->model_host[i]);
    }
    pthread_mutex_lock(&fake.core.map.lock);
    for (int i = 0; i < CELLS; i++) {
        model_mapping_t *m = model_find(p, i, i + 1);
        nw_mapping_t *mapping = fake_mapping(&fake, &p->host[i]);
        assert_true((m != NULL) == (mapping != NULL));
        if (!m)
            continue;
        assert_ptr_equal(mapping->host, &p->host[m->begin]);
        assert_ptr_equal(mapping->host_end, &p->host[m->end]);
        assert_int_equal(mapping->dynamic_count, m->dynamic);
        assert_int_equal(mapping->hold_count, m->hold);
        assert_int_equal(mapping->users, 0);
        assert_null(mapping->transfer);
    }
    pthread_mutex_unlock(&fake.core.map.lock);
}

/* Begins a construct; now and then as one without nowait. */
static void launch(program_t *p, const construct_t *c, nw_construct_kind_t kind)
{
    if (p->n_in_flight == MAX_IN_FLIGHT)
        wait_for_all(p);
    void (*body)(const nw_launch_t *) = kind == NW_TARGET ? add_amounts : NULL;
    if (random_below(&p->random, 6) == 0)
        construct_run_now(&fake, c, kind, body);
    else
        p->in_flight[p->n_in_flight++] = construct_submit(&fake, c, kind, body);
}

static void data_construct(program_t *p, nw_construct_kind_t kind, int begin, int end, uint64_t type)
{
    construct_t c = {0};
    construct_map(&c, &p->host[begin], (size_t)(end - begin) * sizeof(int), type);
    launch(p, &c, kind);
}

static void target_construct(program_t *p, int begin, int end, uint64_t type)
{
    int amount = (int)random_below(&p->random, 5), *private_amount = malloc(sizeof *private_amount);
    assert_non_null(private_amount);
    *private_amount = (int)random_below(&p->random, 7);
    bool fresh = !model_find(p, begin, end);
    construct_t c = {0};
    construct_map(&c, &p->host[begin], (size_t)(end - begin) * sizeof(int), type | NW_MAP_TARGET_PARAM);
    construct_map(&c, (void *)(uintptr_t)(end - begin), 8, NW_MAP_LITERAL | NW_MAP_TARGET_PARAM);
    construct_map(&c, (void *)(uintptr_t)amount, 8, NW_MAP_LITERAL | NW_MAP_TARGET_PARAM);
    construct_map(&c, private_amount, sizeof(int), NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    construct_map(&c, (void *)(uintptr_t)common, sizeof common, NW_MAP_TO | NW_MAP_TARGET_PARAM);
    model_begin(p, begin, end, type);
    model_mapping_t *m = model_find(p, begin, end);
    for (int i = begin; i < end; i++)
        m->device[i] += amount + *private_amount + common[(i - begin) % 4];
    model_end(p, begin, end, type);
    /* Without TO a fresh device copy has no value that the model could know, so none may come back. */
    assert_true(!fresh || (type & NW_MAP_TO) || !(type & NW_MAP_FROM));
    launch(p, &c, NW_TARGET);
    *private_amount = -1000000;
    free(private_amount);
}

static void one_step(program_t *p)
{
    int begin = (int)random_below(&p->random, CELLS);
    int end = begin + 1 + (int)random_below(&p->random, 5);
    end = end > CELLS ? CELLS : end;
    model_mapping_t *m = model_find(p, begin, end);
    bool absent = model_absent(p, begin, end);
    if (!m && !absent)
        return; /* would be an error */
    static const uint64_t hold[4] = {0, 0, 0, NW_MAP_HOLD};
    uint64_t held = hold[random_below(&p->random, 4)];
    switch (random_below(&p->random, 12)) {
    case 0:
    case 1:
        data_construct(p, NW_DATA_BEGIN, begin, end, NW_MAP_TO | held);
        model_begin(p, begin, end, NW_MAP_TO | held);
        break;
    case 2:
    case 3:
    case 4:
    case 5:
        target_construct(p, begin, end, TOFROM | held);
        break;
    case 6:
        target_construct(p, begin, end, NW_MAP_TO | held);
        break;
    case 7:
        data_construct(p, NW_DATA_END, begin, end, NW_MAP_FROM | held);
        model_end(p, begin, end, NW_MAP_FROM | held);
        break;
    case 8:
        data_construct(p, NW_DATA_END, begin, end, held);
        model_end(p, begin, end, held);
        break;
    case 9:
        data_construct(p, NW_DATA_END, begin, end, NW_MAP_DELETE);
        model_end(p, begin, end, NW_MAP_DELETE);
        break;
    case 10: {
        uint64_t type = random_below(&p->random, 2) ? NW_MAP_TO : NW_MAP_FROM;
        wait_for_all(p);
        if (m && type == NW_MAP_TO) {
            for (int i = begin; i < end; i++)
                m->device[i] = p->model_host[i] = p->host[i] = (int)random_below(&p->random, 1000);
        }
        if (m && type == NW_MAP_FROM)
            memcpy(&p->model_host[begin], &m->device[begin], (size_t)(end - begin) * sizeof(int));
        data_construct(p, NW_DATA_UPDATE, begin, end, type);
        wait_for_all(p);
        break;
    }
    case 11:
        wait_for_all(p);
        target_construct(p, begin, end, TOFROM | NW_MAP_ALWAYS);
        wait_for_all(p);
        break;
    }
}

static void *run_program(void *argument)
{
    program_t *p = argument;
    for (int i = 0; i < CELLS; i++)
        p->model_host[i] = p->host[i] = i;
    for (int step = 0; step < p->n_steps; step++) {
        one_step(p);
        if (random_below(&p->random, 25) == 0)
            check_quiet(p);
    }
    check_quiet(p);
    while (p->n_mappings > 0) {
        model_mapping_t m = p->mappings[0];
        for (int i = 0; i < m.dynamic + m.hold; i++) {
            uint64_t type = NW_MAP_FROM | (i < m.hold ? NW_MAP_HOLD : 0);
            data_construct(p, NW_DATA_END, m.begin, m.end, type);
            model_end(p, m.begin, m.end, type);
        }
    }
    check_quiet(p);
    return NULL;
}

static void one_thread_with_works_in_order(void **state)
{
    (void)state;
    static int host[CELLS];
    for (uint64_t seed = 1; seed <= 8; seed++) {
        program_t *p = calloc(1, sizeof *p);
        assert_non_null(p);
        *p = (program_t){.host = host, .random = seed, .n_steps = 2000};
        fake_device_init(&fake);
        fake_device_start_threads(&fake, 1);
        run_program(p);
        fake_device_destroy(&fake);
        free(p);
    }
}

static void several_threads_with_works_in_any_order(void **state)
{
    (void)state;
    static int host[THREADS][CELLS];
    for (uint64_t seed = 1; seed <= 6; seed++) {
        program_t *programs = calloc(THREADS, sizeof *programs);
        pthread_t threads[THREADS];
        assert_non_null(programs);
        fake_device_init(&fake);
        fake.random = seed;
        fake_device_start_threads(&fake, 3);
        for (uint64_t i = 0; i < THREADS; i++) {
            programs[i] = (program_t){.host = host[i], .random = seed * 100 + i, .n_steps = 1500};
            assert_int_equal(pthread_create(&threads[i], NULL, run_program, &programs[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        fake_device_destroy(&fake);
        free(programs);
    }
}

/* All threads end and begin the same mapping all the time; each kernel sees the common values. */
static void *map_common(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    static int shared_cells[8];
    for (int i = 0; i < 1200; i++) {
        construct_t c = {0};
        construct_map(&c, shared_cells, sizeof shared_cells,
                      (random_below(&random, 2) ? NW_MAP_TO : TOFROM) | NW_MAP_TARGET_PARAM);
        nw_op_t *enter = NULL;
        if (random_below(&random, 3) == 0)
            enter = submit_one(&fake, NW_DATA_BEGIN, shared_cells, sizeof shared_cells, NW_MAP_TO, NULL);
        nw_op_t *op = construct_submit(&fake, &c, NW_TARGET, NULL);
        if (enter) {
            nw_op_t *end = submit_one(&fake, NW_DATA_END, shared_cells, sizeof shared_cells, 0, NULL);
            nw_op_wait(end);
            op_free(end);
            nw_op_wait(enter);
            op_free(enter);
        }
        nw_op_wait(op);
        op_free(op);
    }
    return NULL;
}

static void threads_remap_the_same_data(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    fake_device_init(&fake);
    fake_device_start_threads(&fake, 2);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, map_common, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    fake_device_destroy(&fake);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_with_works_in_order),
        cmocka_unit_test(several_threads_with_works_in_any_order),
        cmocka_unit_test(threads_remap_the_same_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
