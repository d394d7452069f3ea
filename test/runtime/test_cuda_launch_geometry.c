/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks and threads of a region on a GPU: stock LLVM's rules, and in every case legal and as the clauses say. */
#include <string.h>

#include "device/cuda/cuda_geometry.h"
#include "support/harness.h"

static nw_cuda_shape_t shape_of(nw_cuda_mode_t mode, int32_t min_threads, int32_t max_threads)
{
    nw_cuda_kernel_environment_t environment = {
        .mode = mode, .min_threads = min_threads, .max_threads = max_threads};
    return nw_cuda_shape(&environment, 1024, 1024, 2147483647, 32);
}

#define CHECK_GEOMETRY(shape, teams, limit, trip, want_blocks, want_threads)              \
    do {                                                                                  \
        nw_cuda_geometry_t geometry_ = nw_cuda_geometry(&(shape), (teams), (limit), (trip)); \
        assert_int_equal(geometry_.blocks, (want_blocks));                                \
        assert_int_equal(geometry_.threads, (want_threads));                              \
    } while (0)

/* The 48 bytes as clang 19 writes them for `target teams distribute parallel for reduction`. */
static void environment_is_read_at_its_offsets(void **state)
{
    (void)state;
    unsigned char bytes[NW_CUDA_KERNEL_ENVIRONMENT_SIZE] = {0, 1, 2};
    int32_t words[6] = {1, 256, 3, 0x7fffffff, 8, 1024};
    nw_cuda_kernel_environment_t environment;
    memcpy(bytes + 4, words, sizeof words);
    nw_cuda_kernel_environment_read(bytes, &environment);
    assert_int_equal(environment.mode, NW_CUDA_SPMD);
    assert_int_equal(environment.min_threads, 1);
    assert_int_equal(environment.max_threads, 256);
    assert_int_equal(environment.min_teams, 3);
    assert_int_equal(environment.max_teams, 0x7fffffff);
    assert_int_equal(environment.reduction_size, 8);
    assert_int_equal(environment.reduction_length, 1024);
}

static void shape_takes_the_lowest_limit(void **state)
{
    (void)state;
    nw_cuda_kernel_environment_t environment = {.mode = NW_CUDA_SPMD, .min_threads = 200, .max_threads = 512};
    nw_cuda_shape_t shape = nw_cuda_shape(&environment, 1024, 640, 65535, 32);
    assert_int_equal(shape.max_threads, 512);
    assert_int_equal(shape.preferred_threads, 200);
    shape = nw_cuda_shape(&environment, 1024, 384, 65535, 32);
    assert_int_equal(shape.max_threads, 384);
    environment.min_threads = 1;
    environment.max_threads = 0;
    shape = nw_cuda_shape(&environment, 256, 1024, 65535, 32);
    assert_int_equal(shape.max_threads, 256);
    assert_int_equal(shape.preferred_threads, 128);
}

static void clauses_are_honoured(void **state)
{
    (void)state;
    nw_cuda_shape_t spmd = shape_of(NW_CUDA_SPMD, 0, 0), generic = shape_of(NW_CUDA_GENERIC, 0, 0);
    CHECK_GEOMETRY(spmd, 7, 64, 0, 7, 64);
    CHECK_GEOMETRY(spmd, 7, 64, 1000000, 7, 64);
    CHECK_GEOMETRY(spmd, 7, 0, 1000000, 7, 128);
    /* The warp of the sequential part comes on top, within the device's limit. */
    CHECK_GEOMETRY(generic, 1, 64, 0, 1, 96);
    CHECK_GEOMETRY(generic, 1, 1024, 0, 1, 1024);
    CHECK_GEOMETRY(spmd, 1, 5000, 0, 1, 1024);
    /* A thread limit is kept for short loops too. */
    CHECK_GEOMETRY(spmd, 0, 256, 1000, 4, 256);
}

static void a_block_limit_lowers_the_number_of_teams(void **state)
{
    (void)state;
    nw_cuda_kernel_environment_t environment = {.mode = NW_CUDA_SPMD};
    nw_cuda_shape_t shape = nw_cuda_shape(&environment, 1024, 1024, 10, 32);
    CHECK_GEOMETRY(shape, 50, 0, 0, 10, 128);
    CHECK_GEOMETRY(shape, 0, 0, 1000000, 10, 128);
    CHECK_GEOMETRY(shape, 0, 0, 0, 10, 128);
}

static void spmd_loops_follow_the_trip_count(void **state)
{
    (void)state;
    nw_cuda_shape_t spmd = shape_of(NW_CUDA_SPMD, 0, 0);
    CHECK_GEOMETRY(spmd, 0, 0, 0, 3200, 128);
    CHECK_GEOMETRY(spmd, 0, 0, 1, 1, 32);
    CHECK_GEOMETRY(spmd, 0, 0, 33, 2, 32);
    CHECK_GEOMETRY(spmd, 0, 0, 3200 * 32 - 1, 3200, 32);
    CHECK_GEOMETRY(spmd, 0, 0, 3200 * 32, 3200, 32);
    CHECK_GEOMETRY(spmd, 0, 0, 3200 * 33, 1650, 64);
    CHECK_GEOMETRY(spmd, 0, 0, 3200 * 128 - 1, 3200, 128);
    CHECK_GEOMETRY(spmd, 0, 0, 3200 * 128, 3200, 128);
    /* Blocks are used again for more iterations than that. */
    CHECK_GEOMETRY(spmd, 0, 0, UINT64_C(1) << 40, 3200, 128);
    CHECK_GEOMETRY(spmd, 0, 0, UINT64_MAX, 3200, 128);
}

static void generic_loops_get_a_team_for_each_iteration(void **state)
{
    (void)state;
    nw_cuda_shape_t generic = shape_of(NW_CUDA_GENERIC, 0, 0), converted = shape_of(NW_CUDA_GENERIC_SPMD, 0, 0);
    CHECK_GEOMETRY(generic, 0, 0, 17, 17, 128);
    CHECK_GEOMETRY(converted, 0, 0, 17, 17, 128);
    CHECK_GEOMETRY(generic, 0, 0, 5000, 3200, 128);
    /* Only the plain generic mode has the extra warp. */
    CHECK_GEOMETRY(converted, 2, 64, 0, 2, 64);
}

static void no_loop_kernels_get_a_thread_for_each_iteration(void **state)
{
    (void)state;
    nw_cuda_shape_t shape = shape_of(NW_CUDA_NO_LOOP, 0, 0);
    CHECK_GEOMETRY(shape, 0, 0, 0, 1, 128);
    CHECK_GEOMETRY(shape, 0, 0, 129, 2, 128);
    CHECK_GEOMETRY(shape, 0, 0, 128 * 10000, 10000, 128);
}

static void bare_kernels_get_what_they_ask_for(void **state)
{
    (void)state;
    nw_cuda_shape_t bare = shape_of(NW_CUDA_BARE, 0, 0);
    CHECK_GEOMETRY(bare, 5, 77, 1000, 5, 77);
    CHECK_GEOMETRY(bare, 0, 0, 0, 1, 128);
}

/* Whatever comes in, the driver takes what comes out, and a loop's iterations are all reached. */
static void every_geometry_is_legal(void **state)
{
    (void)state;
    static const nw_cuda_mode_t modes[] = {NW_CUDA_GENERIC, NW_CUDA_SPMD, NW_CUDA_GENERIC_SPMD, NW_CUDA_NO_LOOP};
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        nw_cuda_shape_t shape = shape_of(modes[random_below(&random, 4)], (int32_t)random_below(&random, 300),
                                         (int32_t)random_below(&random, 2000));
        int32_t teams = (int32_t)random_below(&random, 3) - 1, limit = (int32_t)random_below(&random, 1500) - 500;
        uint64_t trip = (uint64_t)random_below(&random, 1000000) << random_below(&random, 20);
        nw_cuda_geometry_t geometry = nw_cuda_geometry(&shape, teams, limit, trip);
        assert_in_range(geometry.threads, 1, shape.max_threads);
        assert_in_range(geometry.blocks, 1, shape.max_blocks);
        if (shape.mode == NW_CUDA_NO_LOOP && teams <= 0 && trip / geometry.threads < shape.max_blocks)
            assert_true((uint64_t)geometry.blocks * geometry.threads >= trip);
    }
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environment_is_read_at_its_offsets),
        cmocka_unit_test(shape_takes_the_lowest_limit),
        cmocka_unit_test(clauses_are_honoured),
        cmocka_unit_test(a_block_limit_lowers_the_number_of_teams),
        cmocka_unit_test(spmd_loops_follow_the_trip_count),
        cmocka_unit_test(generic_loops_get_a_team_for_each_iteration),
        cmocka_unit_test(no_loop_kernels_get_a_thread_for_each_iteration),
        cmocka_unit_test(bare_kernels_get_what_they_ask_for),
        cmocka_unit_test(every_geometry_is_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
