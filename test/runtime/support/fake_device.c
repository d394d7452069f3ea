/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/fake_device.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/map_types.h"
#include "core/tool.h"
#include "support/harness.h"

const nw_ident_t test_place = {.psource = ";test.c;main;12;3;;"};

static fake_device_t *fake_of(nw_device_t *device)
{
    return (fake_device_t *)device;
}

static void *fake_alloc(nw_device_t *device, size_t size)
{
    fake_device_t *fake = fake_of(device);
    void *block = NULL;
    pthread_mutex_lock(&fake->lock);
    /* Sanitizers end the program over sizes that no heap could have. */
    if (fake->allocations_left > 0 && size < (size_t)1 << 40 && posix_memalign(&block, 64, size) == 0) {
        fake->allocations_left -= fake->allocations_left != SIZE_MAX;
        fake->blocks_live++;
        fake->bytes_live += size;
        memset(block, 0xA5, size);
    }
    pthread_mutex_unlock(&fake->lock);
    return block;
}

static void fake_free(nw_device_t *device, void *address, size_t size)
{
    fake_device_t *fake = fake_of(device);
    pthread_mutex_lock(&fake->lock);
    fake->blocks_live--;
    fake->bytes_live -= size;
    pthread_mutex_unlock(&fake->lock);
    free(address);
}

static nw_status_t fake_copy(nw_device_t *device, void *to, const void *from, size_t size)
{
    (void)device;
    memmove(to, from, size);
    return NW_OK;
}

static nw_status_t fake_fill(nw_device_t *device, void *address, int byte, size_t size)
{
    (void)device;
    memset(address, byte, size);
    return NW_OK;
}

static nw_status_t fake_stage(nw_device_t *device, nw_work_t *work, void *to, const void *from, size_t size)
{
    (void)work;
    fake_device_t *fake = fake_of(device);
    pthread_mutex_lock(&fake->lock);
    fake->n_staged++;
    pthread_mutex_unlock(&fake->lock);
    memcpy(to, from, size);
    return NW_OK;
}

static void run_steps(fake_device_t *fake, nw_work_t *work)
{
    nw_cursor_t in = {0}, out = {0};
    nw_chunk_t chunk;
    size_t bytes_in = 0, bytes_out = 0;
    nw_cursor_t at = {0};
    nw_move_t move;
    while (nw_work_next_move(work, &at, &move)) {
        if (move.from)
            memmove(move.to, move.from, move.size);
        else
            memset(move.to, move.byte, move.size);
    }
    while (nw_work_next_in(work, &in, &chunk)) {
        memcpy(chunk.device, chunk.host, chunk.size);
        bytes_in += chunk.size;
    }
    if (work->copies_in)
        nw_work_data_is_there(work);
    if (work->has_kernel) {
        nw_work_launch_begins(work);
        work->launch.kernel->body(&work->launch);
        nw_work_launch_ends(work);
    }
    while (nw_work_next_out(work, &out, &chunk)) {
        memcpy(chunk.host, chunk.device, chunk.size);
        bytes_out += chunk.size;
    }
    pthread_mutex_lock(&fake->lock);
    fake->copied_in += bytes_in;
    fake->copied_out += bytes_out;
    pthread_mutex_unlock(&fake->lock);
}

static void fake_submit(nw_device_t *device, nw_work_t *work)
{
    fake_device_t *fake = fake_of(device);
    pthread_mutex_lock(&fake->lock);
    assert_true(fake->n_pending < FAKE_MAX_PENDING);
    fake->pending[fake->n_pending++] = work;
    fake->n_submitted++;
    pthread_cond_signal(&fake->changed);
    pthread_mutex_unlock(&fake->lock);
}

static nw_status_t fake_execute(nw_device_t *device, nw_work_t *work)
{
    fake_device_t *fake = fake_of(device);
    run_steps(fake, work);
    pthread_mutex_lock(&fake->lock);
    fake->n_executed++;
    pthread_mutex_unlock(&fake->lock);
    return NW_OK;
}

static const nw_device_ops_t fake_ops = {
    .kind = "fake",
    .moves = true,
    .alloc = fake_alloc,
    .free = fake_free,
    .copy_in = fake_copy,
    .copy_out = fake_copy,
    .copy_within = fake_copy,
    .fill = fake_fill,
    .stage = fake_stage,
    .submit = fake_submit,
    .execute = fake_execute,
};

void fake_device_init(fake_device_t *fake)
{
    memset(fake, 0, sizeof *fake);
    fake->core.base.ops = &fake_ops;
    fake->core.base.number = 3;
    fake->core.base.name = "fake";
    fake->allocations_left = SIZE_MAX;
    fake->random = 1;
    pthread_mutex_init(&fake->lock, NULL);
    pthread_cond_init(&fake->changed, NULL);
    nw_map_table_init(&fake->core.map, &fake->core.base);
}

/* Takes the i-th pending work out; the caller holds the lock. */
static nw_work_t *take(fake_device_t *fake, size_t i)
{
    nw_work_t *work = fake->pending[i];
    memmove(&fake->pending[i], &fake->pending[i + 1], (--fake->n_pending - i) * sizeof fake->pending[0]);
    return work;
}

static void *thread_main(void *argument)
{
    fake_device_t *fake = argument;
    pthread_mutex_lock(&fake->lock);
    for (;;) {
        while (fake->n_pending == 0 && !fake->stopping)
            pthread_cond_wait(&fake->changed, &fake->lock);
        if (fake->n_pending == 0)
            break;
        nw_work_t *work = take(fake, random_below(&fake->random, (uint32_t)fake->n_pending));
        uint32_t rest = fake->delay_us > 0 && random_below(&fake->random, 4) == 0
                            ? random_below(&fake->random, fake->delay_us)
                            : 0;
        pthread_mutex_unlock(&fake->lock);
        if (rest > 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000L * rest}, NULL);
        run_steps(fake, work);
        work->done(work, NW_OK);
        pthread_mutex_lock(&fake->lock);
    }
    pthread_mutex_unlock(&fake->lock);
    return NULL;
}

void fake_device_start_threads(fake_device_t *fake, size_t n)
{
    assert_true(n <= FAKE_MAX_THREADS);
    for (; fake->n_threads < n; fake->n_threads++)
        assert_int_equal(pthread_create(&fake->threads[fake->n_threads], NULL, thread_main, fake), 0);
}

void fake_device_destroy(fake_device_t *fake)
{
    nw_map_table_t *table = &fake->core.map;
    pthread_mutex_lock(&fake->lock);
    fake->stopping = true;
    pthread_cond_broadcast(&fake->changed);
    pthread_mutex_unlock(&fake->lock);
    for (size_t i = 0; i < fake->n_threads; i++)
        pthread_join(fake->threads[i], NULL);
    assert_int_equal(fake->n_pending, 0);
    assert_int_equal(fake_count_live(fake), 0);
    assert_int_equal(fake_count_ending(fake), 0);
    assert_int_equal(fake->blocks_live, 0);
    assert_int_equal(fake->bytes_live, 0);
    nw_map_table_destroy(table);
    pthread_mutex_destroy(&fake->lock);
    pthread_cond_destroy(&fake->changed);
}

static size_t find_pending(fake_device_t *fake, const nw_op_t *op)
{
    size_t i = 0;
    while (i < fake->n_pending && fake->pending[i] != &op->work)
        i++;
    return i;
}

bool fake_is_pending(fake_device_t *fake, const nw_op_t *op)
{
    return find_pending(fake, op) < fake->n_pending;
}

void fake_finish(fake_device_t *fake, nw_op_t *op)
{
    size_t i = find_pending(fake, op);
    assert_true(i < fake->n_pending);
    nw_work_t *work = take(fake, i);
    run_steps(fake, work);
    work->done(work, NW_OK);
}

void fake_bring(fake_device_t *fake, nw_op_t *op)
{
    nw_cursor_t in = {0};
    nw_chunk_t chunk;
    assert_true(fake_is_pending(fake, op));
    while (nw_work_next_in(&op->work, &in, &chunk)) {
        memcpy(chunk.device, chunk.host, chunk.size);
        fake->copied_in += chunk.size;
    }
    for (uint32_t i = 0; i < op->work.n_steps; i++)
        op->work.steps[i].flags &= ~(uint32_t)(NW_STEP_IN | NW_STEP_POINTER);
    nw_work_data_is_there(&op->work);
}

void fake_finish_all(fake_device_t *fake)
{
    while (fake->n_pending > 0) {
        nw_work_t *work = take(fake, 0);
        run_steps(fake, work);
        work->done(work, NW_OK);
    }
}

/* The tree's own walkers are private to map_shard.c. */
static size_t count_nodes(const nw_mapping_t *node)
{
    return node ? 1 + count_nodes(RB_LEFT(node, link)) + count_nodes(RB_RIGHT(node, link)) : 0;
}

size_t fake_count_live(fake_device_t *fake)
{
    nw_map_table_t *table = &fake->core.map;
    nw_map_hold_t hold = nw_map_hold(table, NULL);
    size_t n = 0;
    for (uint32_t i = 0; i < table->n_shards; i++)
        n += table->shards[i]->n_live;
    nw_map_release(table, hold);
    return n;
}

size_t fake_count_ending(fake_device_t *fake)
{
    nw_map_table_t *table = &fake->core.map;
    nw_map_hold_t hold = nw_map_hold(table, NULL);
    size_t n = 0;
    for (uint32_t i = 0; i < table->n_shards; i++)
        for (size_t c = 0; c < sizeof table->first.ending / sizeof table->first.ending[0]; c++)
            n += count_nodes(RB_ROOT(&table->shards[i]->ending[c]));
    nw_map_release(table, hold);
    return n;
}

nw_mapping_t *fake_mapping(fake_device_t *fake, const void *host)
{
    nw_map_table_t *table = &fake->core.map;
    nw_map_hold_t hold = nw_map_hold(table, NULL);
    nw_mapping_t *mapping;
    bool present = nw_map_table_lookup(table, host, 1, &mapping) == NW_PRESENT;
    nw_map_release(table, hold);
    return present ? mapping : NULL;
}

void construct_map(construct_t *construct, void *begin, size_t size, uint64_t type)
{
    construct_add(construct, begin, begin, size, type);
}

void construct_add(construct_t *construct, void *base, void *begin, size_t size, uint64_t type)
{
    int32_t i = construct->n++;
    assert_true(i < CONSTRUCT_MAX);
    construct->bases[i] = base;
    construct->ptrs[i] = begin;
    construct->sizes[i] = (int64_t)size;
    construct->types[i] = type;
}

/* What whoever launches a construct does when there is a tool. */
static void tell_begin(nw_op_t *op, nw_tool_region_t *region, nw_construct_kind_t kind)
{
    if (op->waited_for) {
        nw_tool_region_begin_now(op, region, kind);
        return;
    }
    nw_tool_region_init(region);
    nw_tool_region_submitted(region);
    op->work.tool = region;
    nw_tool_region_begin(op, kind, nw_tool_current_task());
}

nw_op_t *construct_decide(fake_device_t *fake, const construct_t *construct, nw_construct_kind_t kind,
                          void (*body)(const nw_launch_t *), bool waited_for)
{
    static nw_region_t region = {.name = "test_region"};
    /* Copies, so that what an operation still reads after it was decided is a fault that AddressSanitizer sees. */
    construct_t *copy = malloc(sizeof *copy);
    assert_non_null(copy);
    *copy = *construct;
    nw_map_args_t args = {
        .n = copy->n, .bases = copy->bases, .ptrs = copy->ptrs, .sizes = copy->sizes, .types = copy->types};
    size_t size = (nw_op_size((uint32_t)copy->n) + 15) / 16 * 16;
    size_t kernel_size = (sizeof(nw_kernel_t) + 15) / 16 * 16;
    char *memory = aligned_alloc(16, size + kernel_size + (sizeof(nw_tool_region_t) + 15) / 16 * 16);
    assert_non_null(memory);
    nw_op_t *op = (nw_op_t *)memory;
    nw_kernel_t *kernel = (nw_kernel_t *)(memory + size);
    *kernel = (nw_kernel_t){.body = body};
    nw_op_init(op, (uint32_t)copy->n);
    nw_op_begin(op, &fake->core, &test_place);
    /* Before the decision, since an operation that is waited for may come to its end at once. */
    op->waited_for = waited_for;
    if (nw_tool_attached())
        tell_begin(op, (nw_tool_region_t *)(memory + size + kernel_size), kind);
    nw_construct_decide(op, kind, &args, body ? &(nw_region_launch_t){.region = &region, .kernel = kernel} : NULL);
    free(copy);
    return op;
}

nw_op_t *construct_submit(fake_device_t *fake, const construct_t *construct, nw_construct_kind_t kind,
                          void (*body)(const nw_launch_t *))
{
    nw_op_t *op = construct_decide(fake, construct, kind, body, false);
    nw_op_submit(op);
    return op;
}

void construct_run_now(fake_device_t *fake, const construct_t *construct, nw_construct_kind_t kind,
                       void (*body)(const nw_launch_t *))
{
    nw_op_t *op = construct_decide(fake, construct, kind, body, true);
    assert_int_equal(nw_op_run(op), NW_OK);
    op_free(op);
}

nw_op_t *submit_one(fake_device_t *fake, nw_construct_kind_t kind, void *begin, size_t size, uint64_t type,
                    void (*body)(const nw_launch_t *))
{
    construct_t construct = {0};
    construct_map(&construct, begin, size, type | (kind == NW_TARGET ? NW_MAP_TARGET_PARAM : 0));
    return construct_submit(fake, &construct, kind, body);
}

void run_construct(fake_device_t *fake, const construct_t *construct, nw_construct_kind_t kind,
                   void (*body)(const nw_launch_t *))
{
    nw_op_t *op = construct_submit(fake, construct, kind, body);
    fake_finish_all(fake);
    op_free(op);
}

void run_one(fake_device_t *fake, nw_construct_kind_t kind, void *begin, size_t size, uint64_t type,
             void (*body)(const nw_launch_t *))
{
    nw_op_t *op = submit_one(fake, kind, begin, size, type, body);
    fake_finish_all(fake);
    op_free(op);
}

void op_free(nw_op_t *op)
{
    assert_int_equal(nw_op_state(op), NW_OP_DONE);
    free(op);
}
