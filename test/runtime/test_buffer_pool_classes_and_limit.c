/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cache of device memory: block sizes, reuse, what it keeps, counts, and what it does when memory is out. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/buffer_pool.h"
#include "support/harness.h"

/* A source that counts, and that can run dry. */
typedef struct source {
    _Atomic size_t blocks, bytes;    /* given out and not taken back */
    _Atomic size_t calls;
    size_t capacity;                 /* bytes */
} source_t;

static void *get(void *context, size_t size)
{
    source_t *source = context;
    void *block;
    atomic_fetch_add(&source->calls, 1);
    if (atomic_load(&source->bytes) + size > source->capacity || posix_memalign(&block, 64, size) != 0)
        return NULL;
    atomic_fetch_add(&source->blocks, 1);
    atomic_fetch_add(&source->bytes, size);
    return block;
}

static void give_back(void *context, void *block, size_t size)
{
    source_t *source = context;
    atomic_fetch_sub(&source->blocks, 1);
    atomic_fetch_sub(&source->bytes, size);
    free(block);
}

static nw_buffer_pool_t pool;
static source_t source;

static int set_up(void **state)
{
    (void)state;
    memset(&source, 0, sizeof source);
    source.capacity = (size_t)1 << 32;
    nw_buffer_pool_init(&pool, get, give_back, &source, (size_t)64 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    nw_buffer_pool_destroy(&pool);
    assert_int_equal(atomic_load(&pool.live), 0);
    assert_int_equal(atomic_load(&pool.kept), 0);
    assert_int_equal(atomic_load(&source.blocks), 0);
    assert_int_equal(atomic_load(&source.bytes), 0);
    return 0;
}

static void check_size(size_t size)
{
    size_t before = atomic_load(&pool.live);
    char *block = nw_buffer_pool_alloc(&pool, size);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 64, 0);
    size_t whole = atomic_load(&pool.live) - before;
    assert_true(whole >= size);
    /* At most a fifth of a block is waste. */
    assert_true(size <= 64 ? whole == 64 : whole - size <= whole / 5);
    memset(block, 1, size);
    nw_buffer_pool_free(&pool, block, size);
    assert_int_equal(atomic_load(&pool.live), before);
}

static void blocks_are_aligned_and_waste_at_most_a_fifth(void **state)
{
    (void)state;
    check_size(1);
    for (size_t shift = 6; shift <= 22; shift++) {
        for (size_t eighth = 0; eighth < 8; eighth++) {
            size_t size = ((size_t)1 << shift) + (eighth << (shift - 3));
            check_size(size - 1);
            check_size(size);
            check_size(size + 1);
        }
    }
}

static void a_request_of_zero_bytes_gets_a_block(void **state)
{
    (void)state;
    void *block = nw_buffer_pool_alloc(&pool, 0);
    assert_non_null(block);
    nw_buffer_pool_free(&pool, block, 0);
}

static void freed_blocks_are_reused_without_the_source(void **state)
{
    (void)state;
    void *first = nw_buffer_pool_alloc(&pool, 1000);
    nw_buffer_pool_free(&pool, first, 1000);
    size_t calls = atomic_load(&source.calls);
    /* 897 to 1024 bytes are one class. */
    void *second = nw_buffer_pool_alloc(&pool, 900);
    assert_ptr_equal(second, first);
    assert_int_equal(atomic_load(&source.calls), calls);
    void *third = nw_buffer_pool_alloc(&pool, 1000);
    assert_ptr_not_equal(third, first);
    nw_buffer_pool_free(&pool, second, 900);
    nw_buffer_pool_free(&pool, third, 1000);
}

static void what_exceeds_the_limit_goes_back_at_once(void **state)
{
    (void)state;
    void *blocks[8];
    pool.limit = 4096;
    for (int i = 0; i < 8; i++)
        blocks[i] = nw_buffer_pool_alloc(&pool, 1024);
    for (int i = 0; i < 8; i++)
        nw_buffer_pool_free(&pool, blocks[i], 1024);
    assert_int_equal(atomic_load(&pool.kept), 4096);
    assert_int_equal(atomic_load(&source.bytes), 4096);
}

static void a_limit_of_zero_keeps_nothing(void **state)
{
    (void)state;
    pool.limit = 0;
    nw_buffer_pool_free(&pool, nw_buffer_pool_alloc(&pool, 100), 100);
    assert_int_equal(atomic_load(&source.blocks), 0);
}

static void blocks_above_the_largest_class_are_never_kept(void **state)
{
    (void)state;
    size_t size = ((size_t)64 << 20) + 1;
    pool.limit = SIZE_MAX / 2;
    void *block = nw_buffer_pool_alloc(&pool, size);
    assert_non_null(block);
    assert_int_equal(atomic_load(&pool.live), size);
    nw_buffer_pool_free(&pool, block, size);
    assert_int_equal(atomic_load(&source.blocks), 0);
    void *largest = nw_buffer_pool_alloc(&pool, size - 1);
    nw_buffer_pool_free(&pool, largest, size - 1);
    assert_int_equal(atomic_load(&pool.kept), size - 1);
}

static void a_failing_source_gets_the_kept_blocks_back(void **state)
{
    (void)state;
    source.capacity = 10000;
    void *small[8];
    for (int i = 0; i < 8; i++)
        small[i] = nw_buffer_pool_alloc(&pool, 1024);
    assert_null(nw_buffer_pool_alloc(&pool, 8192));
    for (int i = 0; i < 8; i++)
        nw_buffer_pool_free(&pool, small[i], 1024);
    void *large = nw_buffer_pool_alloc(&pool, 8192);
    assert_non_null(large);
    assert_int_equal(atomic_load(&source.blocks), 1);
    assert_null(nw_buffer_pool_alloc(&pool, 8192));
    assert_int_equal(atomic_load(&pool.live), 8192);
    nw_buffer_pool_free(&pool, large, 8192);
}

static void sizes_beyond_all_memory_are_answered_with_null(void **state)
{
    (void)state;
    assert_null(nw_buffer_pool_alloc(&pool, SIZE_MAX));
    assert_null(nw_buffer_pool_alloc(&pool, SIZE_MAX / 2 + 1));
    assert_int_equal(atomic_load(&pool.live), 0);
}

static void live_and_peak_are_counted_in_block_sizes(void **state)
{
    (void)state;
    void *a = nw_buffer_pool_alloc(&pool, 64), *b = nw_buffer_pool_alloc(&pool, 65);
    assert_int_equal(atomic_load(&pool.live), 64 + 80);
    nw_buffer_pool_free(&pool, a, 64);
    void *c = nw_buffer_pool_alloc(&pool, 10);
    assert_int_equal(atomic_load(&pool.peak), 64 + 80);
    nw_buffer_pool_free(&pool, b, 65);
    nw_buffer_pool_free(&pool, c, 10);
    assert_int_equal(atomic_load(&pool.peak), 64 + 80);
}

static void trim_knows_the_block_size_of_every_class(void **state)
{
    (void)state;
    enum { N = 70 };
    void *blocks[N];
    size_t sizes[N];
    for (size_t i = 0; i < N; i++) {
        sizes[i] = ((size_t)1 << (6 + i / 5)) + i % 5 * ((size_t)1 << (3 + i / 5));
        blocks[i] = nw_buffer_pool_alloc(&pool, sizes[i]);
    }
    for (size_t i = 0; i < N; i++)
        nw_buffer_pool_free(&pool, blocks[i], sizes[i]);
    /* The source checks in tear_down that every byte came back. */
}

/* This thread stands for the others: who finds a list taken goes on to the next. */
static void nobody_waits_for_a_list_that_is_taken(void **state)
{
    (void)state;
    nw_pool_list_t *lists = pool.classes[0].lists;
    void *block = nw_buffer_pool_alloc(&pool, 64);
    for (int is_free = 0; is_free < NW_POOL_LISTS; is_free++) {
        for (int i = 0; i < NW_POOL_LISTS; i++) {
            if (i != is_free)
                assert_int_equal(pthread_mutex_lock(&lists[i].lock), 0);
        }
        nw_buffer_pool_free(&pool, block, 64);
        assert_int_equal(lists[is_free].n, 1);
        assert_ptr_equal(nw_buffer_pool_alloc(&pool, 64), block);
        for (int i = 0; i < NW_POOL_LISTS; i++) {
            if (i != is_free)
                pthread_mutex_unlock(&lists[i].lock);
        }
    }
    nw_buffer_pool_free(&pool, block, 64);
}

static void *use_pool(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    char *blocks[16] = {0};
    size_t sizes[16] = {0};
    for (int i = 0; i < 4000; i++) {
        uint32_t k = random_below(&random, 16);
        if (blocks[k]) {
            assert_int_equal(blocks[k][0], (char)k);
            assert_int_equal(blocks[k][sizes[k] - 1], (char)k);
            nw_buffer_pool_free(&pool, blocks[k], sizes[k]);
            blocks[k] = NULL;
        } else {
            sizes[k] = 1 + random_below(&random, 3000);
            blocks[k] = nw_buffer_pool_alloc(&pool, sizes[k]);
            assert_non_null(blocks[k]);
            memset(blocks[k], (int)k, sizes[k]);
        }
        if (random_below(&random, 500) == 0)
            nw_buffer_pool_trim(&pool);
    }
    for (int k = 0; k < 16; k++) {
        if (blocks[k])
            nw_buffer_pool_free(&pool, blocks[k], sizes[k]);
    }
    return NULL;
}

static void threads_share_the_pool(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_pool, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(blocks_are_aligned_and_waste_at_most_a_fifth),
        TEST(a_request_of_zero_bytes_gets_a_block),
        TEST(freed_blocks_are_reused_without_the_source),
        TEST(what_exceeds_the_limit_goes_back_at_once),
        TEST(a_limit_of_zero_keeps_nothing),
        TEST(blocks_above_the_largest_class_are_never_kept),
        TEST(a_failing_source_gets_the_kept_blocks_back),
        TEST(sizes_beyond_all_memory_are_answered_with_null),
        TEST(live_and_peak_are_counted_in_block_sizes),
        TEST(trim_knows_the_block_size_of_every_class),
        TEST(nobody_waits_for_a_list_that_is_taken),
        TEST(threads_share_the_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
