/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_geometry.h"

#include <string.h>

/* Stock LLVM's numbers, so that programs tuned for it find the same launches. */
#define DEFAULT_THREADS 128u
#define DEFAULT_BLOCKS 3200u
#define LEAST_THREADS_OF_SHORT_LOOP 32u

/* Offsets in KernelEnvironmentTy, which begins with ConfigurationEnvironmentTy. */
enum { AT_MODE = 2, AT_MIN_THREADS = 4, AT_REDUCTION_LENGTH = 24 };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void nw_cuda_kernel_environment_read(const unsigned char bytes[NW_CUDA_KERNEL_ENVIRONMENT_SIZE],
                                     nw_cuda_kernel_environment_t *environment_p)
{
    /* min and max threads, min and max teams, reduction size and length lie one after the other. */
    int32_t words[6];
    memcpy(words, bytes + AT_MIN_THREADS, sizeof words);
    *environment_p = (nw_cuda_kernel_environment_t){.mode = (nw_cuda_mode_t)bytes[AT_MODE],
                                                    .min_threads = words[0],
                                                    .max_threads = words[1],
                                                    .min_teams = words[2],
                                                    .max_teams = words[3],
                                                    .reduction_size = words[4],
                                                    .reduction_length = words[5]};
}

_Static_assert(AT_MIN_THREADS + 5 * sizeof(int32_t) == AT_REDUCTION_LENGTH, "KernelEnvironmentTy");

nw_cuda_shape_t nw_cuda_shape(const nw_cuda_kernel_environment_t *environment, uint32_t max_threads,
                              uint32_t function_threads, uint32_t max_blocks, uint32_t warp)
{
    uint32_t most = least(max_threads, function_threads);
    if (environment->max_threads > 0)
        most = least(most, (uint32_t)environment->max_threads);
    uint32_t preferred = DEFAULT_THREADS;
    if (environment->min_threads > (int32_t)preferred)
        preferred = (uint32_t)environment->min_threads;
    return (nw_cuda_shape_t){.mode = environment->mode,
                             .max_threads = most,
                             .preferred_threads = preferred,
                             .max_blocks = max_blocks,
                             .default_blocks = DEFAULT_BLOCKS,
                             .warp = warp};
}

/* A thread limit in generic mode doesn't count the warp that runs the sequential part. */
static uint32_t threads_of(const nw_cuda_shape_t *shape, int32_t thread_limit)
{
    uint32_t wanted = shape->preferred_threads;
    if (thread_limit > 0)
        wanted = (uint32_t)thread_limit + (shape->mode == NW_CUDA_GENERIC ? shape->warp : 0);
    return least(wanted, shape->max_threads);
}

static uint64_t ceil_divide(uint64_t a, uint64_t b)
{
    return (a - 1) / b + 1;
}

static uint32_t power_of_two_at_least(uint64_t n)
{
    uint32_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* Fewer threads a block for a loop that is too short to fill the default number of blocks. */
static uint32_t threads_for_short_loop(const nw_cuda_shape_t *shape, uint32_t threads, uint64_t trip_count)
{
    uint32_t fewest = least(LEAST_THREADS_OF_SHORT_LOOP, threads);
    if (trip_count < (uint64_t)shape->default_blocks * fewest)
        return fewest;
    return least(threads, power_of_two_at_least(ceil_divide(trip_count, shape->default_blocks)));
}

nw_cuda_geometry_t nw_cuda_geometry(const nw_cuda_shape_t *shape, int32_t num_teams, int32_t thread_limit,
                                    uint64_t trip_count)
{
    if (shape->mode == NW_CUDA_BARE)
        return (nw_cuda_geometry_t){.blocks = num_teams > 0 ? (uint32_t)num_teams : 1,
                                    .threads = thread_limit > 0 ? (uint32_t)thread_limit
                                                                : least(shape->preferred_threads, shape->max_threads)};
    uint32_t threads = threads_of(shape, thread_limit);
    if (num_teams > 0)
        return (nw_cuda_geometry_t){.blocks = least((uint32_t)num_teams, shape->max_blocks), .threads = threads};
    uint64_t blocks = shape->default_blocks;
    if (shape->mode == NW_CUDA_NO_LOOP) {
        /* Every iteration needs its thread: no reuse of blocks. */
        blocks = trip_count > 0 ? ceil_divide(trip_count, threads) : 1;
    } else if (trip_count > 0 && shape->mode == NW_CUDA_SPMD) {
        if (thread_limit <= 0 && trip_count < (uint64_t)shape->default_blocks * threads)
            threads = threads_for_short_loop(shape, threads, trip_count);
        blocks = ceil_divide(trip_count, threads);
    } else if (trip_count > 0) {
        blocks = trip_count;
    }
    if (shape->mode != NW_CUDA_NO_LOOP && blocks > shape->default_blocks)
        blocks = shape->default_blocks;
    return (nw_cuda_geometry_t){.blocks = blocks > shape->max_blocks ? shape->max_blocks : (uint32_t)blocks,
                                .threads = threads};
}
