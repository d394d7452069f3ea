/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pinned staging memory: blocks don't overlap, pages come back whole when their last block does, whatever the order,
 * and no more is pinned than the limit says. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_library.h"
#include "device/cuda/cuda_staging.h"
#include "support/harness.h"

static size_t pinned_calls, unpinned_calls;
static bool refuse;

static CUresult pin(void **address_p, size_t size, unsigned int flags)
{
    (void)flags;
    if (refuse)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pinned_calls++;
    *address_p = malloc(size);
    return *address_p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult unpin(void *address)
{
    unpinned_calls++;
    free(address);
    return CUDA_SUCCESS;
}

static nw_cuda_staging_t staging;

static int set_up(void **state)
{
    (void)state;
    nw_cuda.cuMemHostAlloc = pin;
    nw_cuda.cuMemFreeHost = unpin;
    pinned_calls = unpinned_calls = 0;
    refuse = false;
    nw_cuda_staging_init(&staging);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    nw_cuda_staging_close(&staging);
    assert_int_equal(pinned_calls, unpinned_calls);
    return 0;
}

/* Takes blocks of a size until there are none; returns their number. */
static size_t take_all(size_t size, void **blocks, size_t most)
{
    size_t n = 0;
    while (n < most && (blocks[n] = nw_cuda_staging_take(&staging, size)))
        n++;
    return n;
}

static void nothing_is_there_before_memory_is_pinned(void **state)
{
    (void)state;
    assert_null(nw_cuda_staging_take(&staging, 1));
    refuse = true;
    assert_false(nw_cuda_staging_grow(&staging, SIZE_MAX));
    refuse = false;
    assert_true(nw_cuda_staging_grow(&staging, SIZE_MAX));
    void *block = nw_cuda_staging_take(&staging, 1);
    assert_non_null(block);
    nw_cuda_staging_give(&staging, block);
}

static void blocks_are_aligned_and_do_not_overlap(void **state)
{
    (void)state;
    static void *blocks[4096];
    static size_t sizes[4096];
    uint64_t random = 3;
    size_t n = 0;
    assert_true(nw_cuda_staging_grow(&staging, SIZE_MAX));
    for (; n < 4096; n++) {
        sizes[n] = 1 + random_below(&random, 3000);
        blocks[n] = nw_cuda_staging_take(&staging, sizes[n]);
        if (!blocks[n])
            break;
        assert_int_equal((uintptr_t)blocks[n] % 64, 0);
        memset(blocks[n], (int)(n & 0xff), sizes[n]);
    }
    assert_true(n > 1000);
    for (size_t i = 0; i < n; i++) {
        const unsigned char *bytes = blocks[i];
        assert_int_equal(bytes[0], i & 0xff);
        assert_int_equal(bytes[sizes[i] - 1], i & 0xff);
        nw_cuda_staging_give(&staging, blocks[i]);
    }
}

static void pages_are_whole_again_whatever_the_order_and_the_sizes(void **state)
{
    (void)state;
    static void *blocks[100000];
    assert_true(nw_cuda_staging_grow(&staging, SIZE_MAX));
    size_t whole = take_all(NW_CUDA_LARGEST_BLOCK, blocks, 100000);
    assert_true(whole >= 4);
    assert_null(nw_cuda_staging_take(&staging, NW_CUDA_LARGEST_BLOCK + 1));
    for (size_t i = 0; i < whole; i++)
        assert_true(nw_cuda_staging_give(&staging, blocks[i]) || i + 1 == whole);
    /* Small ones use everything up, and come back from both ends: large ones are there again. */
    size_t n = take_all(64, blocks, 100000);
    assert_true(n > 10000);
    for (size_t i = 0; i < n; i++)
        nw_cuda_staging_give(&staging, blocks[i % 2 ? i / 2 : n - 1 - i / 2]);
    assert_int_equal(take_all(NW_CUDA_LARGEST_BLOCK, blocks, 100000), whole);
    for (size_t i = 0; i < whole; i++)
        nw_cuda_staging_give(&staging, blocks[i]);
}

static void no_more_is_pinned_than_the_limit(void **state)
{
    (void)state;
    size_t limit = 16 * NW_CUDA_PAGE_SIZE;
    while (nw_cuda_staging_grow(&staging, limit))
        assert_true(pinned_calls < 100);
    assert_true(atomic_load(&staging.pinned) <= limit);
    assert_true(atomic_load(&staging.pinned) > limit / 2);
}

static void *take_and_give(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    for (int i = 0; i < 20000; i++) {
        size_t size = 64 + random_below(&random, 20000);
        unsigned char *block = nw_cuda_staging_take(&staging, size);
        if (!block)
            continue;
        block[0] = block[size - 1] = (unsigned char)i;
        if (block[0] != block[size - 1])
            return block;
        nw_cuda_staging_give(&staging, block);
    }
    return NULL;
}

static void threads_take_and_give_at_a_time(void **state)
{
    (void)state;
    pthread_t threads[4];
    void *blocks[16];
    assert_true(nw_cuda_staging_grow(&staging, SIZE_MAX));
    size_t whole = take_all(NW_CUDA_LARGEST_BLOCK, blocks, 16);
    for (size_t i = 0; i < whole; i++)
        nw_cuda_staging_give(&staging, blocks[i]);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, (void *)(i + 1)), 0);
    for (size_t i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(take_all(NW_CUDA_LARGEST_BLOCK, blocks, 16), whole);
    for (size_t i = 0; i < whole; i++)
        nw_cuda_staging_give(&staging, blocks[i]);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_there_before_memory_is_pinned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_are_aligned_and_do_not_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_are_whole_again_whatever_the_order_and_the_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_more_is_pinned_than_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_take_and_give_at_a_time, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
