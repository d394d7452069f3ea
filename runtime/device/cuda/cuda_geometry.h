/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How many blocks and threads a region gets: from its clauses, its loop's trip count, what the compiler wrote into the
 * kernel's environment, and the device's limits. Pure functions.
 */
#ifndef NW_CUDA_GEOMETRY_H
#define NW_CUDA_GEOMETRY_H

#include <stddef.h>
#include <stdint.h>

/* How a kernel's threads begin (LLVM's OMPTgtExecModeFlags). */
typedef enum nw_cuda_mode {
    NW_CUDA_BARE = 0,         /* no OpenMP prologue; also kernels without an environment */
    NW_CUDA_GENERIC = 1,      /* one thread begins, a warp of its own */
    NW_CUDA_SPMD = 2,         /* all threads begin */
    NW_CUDA_GENERIC_SPMD = 3, /* written as generic, converted */
    NW_CUDA_NO_LOOP = 6,      /* SPMD with an iteration for each thread (LLVM 22) */
} nw_cuda_mode_t;

/* Bytes of `<kernel>_kernel_environment` in LLVM 19 and 22. */
#define NW_CUDA_KERNEL_ENVIRONMENT_SIZE 48

/* What of it the host uses. 0 in a limit: none. */
typedef struct nw_cuda_kernel_environment {
    nw_cuda_mode_t mode;
    int32_t min_threads, max_threads;
    int32_t min_teams, max_teams;
    int32_t reduction_size;   /* bytes of one team's reduction data */
    int32_t reduction_length; /* teams that a reduction buffer holds */
} nw_cuda_kernel_environment_t;

void nw_cuda_kernel_environment_read(const unsigned char bytes[NW_CUDA_KERNEL_ENVIRONMENT_SIZE],
                                     nw_cuda_kernel_environment_t *environment_p);

/* Limits of one kernel on one device. */
typedef struct nw_cuda_shape {
    nw_cuda_mode_t mode;
    uint32_t max_threads;       /* of a block */
    uint32_t preferred_threads; /* of a block, if nobody asks for a number */
    uint32_t max_blocks;
    uint32_t default_blocks;
    uint32_t warp;
} nw_cuda_shape_t;

/* max_threads and max_blocks are the device's, lowered by the user's own limits; function_threads is what the kernel's
 * registers allow. */
nw_cuda_shape_t nw_cuda_shape(const nw_cuda_kernel_environment_t *environment, uint32_t max_threads,
                              uint32_t function_threads, uint32_t max_blocks, uint32_t warp);

typedef struct nw_cuda_geometry {
    uint32_t blocks, threads;
} nw_cuda_geometry_t;

/* num_teams and thread_limit are the clauses' values, 0 or less: none; trip_count 0: not known. */
nw_cuda_geometry_t nw_cuda_geometry(const nw_cuda_shape_t *shape, int32_t num_teams, int32_t thread_limit,
                                    uint64_t trip_count);

#endif
