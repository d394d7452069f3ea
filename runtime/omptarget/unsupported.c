/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entry points of LLVM's own tools and of languages other than OpenMP: what can be done is done, the rest is refused in
 * one line. */
#include <stdatomic.h>
#include <stddef.h>

#include "omptarget/omptarget.h"
#include "support/export.h"
#include "support/log.h"

enum { FAILED = -1 };

static void refuse(_Atomic bool *told, const char *what)
{
    if (!atomic_exchange_explicit(told, true, memory_order_relaxed))
        nw_log(NW_LOG_ERROR, "%s", what);
}

/* Recording of kernels for LLVM's llvm-omp-kernel-replay tool, and that tool's way to run them. */
NW_EXPORT int __tgt_activate_record_replay(int64_t device, uint64_t memory_size, void *address, bool is_record,
                                           bool save_output, uint64_t *offset_p)
{
    static _Atomic bool told;
    (void)device, (void)memory_size, (void)address, (void)is_record, (void)save_output, (void)offset_p;
    refuse(&told, "__tgt_activate_record_replay: this runtime does not record kernels; use LLVM's libomptarget for it");
    return FAILED;
}

NW_EXPORT int __tgt_target_kernel_replay(nw_ident_t *loc, int64_t device, void *region_id, void *memory,
                                         int64_t memory_size, void **args, ptrdiff_t *offsets, int32_t n_args,
                                         int32_t num_teams, int32_t thread_limit, uint64_t trip_count)
{
    static _Atomic bool told;
    (void)loc, (void)device, (void)region_id, (void)memory, (void)memory_size, (void)args, (void)offsets;
    (void)n_args, (void)num_teams, (void)thread_limit, (void)trip_count;
    refuse(&told, "__tgt_target_kernel_replay: this runtime does not replay kernels; use LLVM's libomptarget for it");
    return FAILED;
}

/* Launches of CUDA source that clang compiles with -foffload-via-llvm: <<<...>>> pushes its configuration, the kernel's
 * stub pops it and launches. */
static _Thread_local struct {
    nw_dim3_t grid, block;
    size_t shared_memory;
    void *stream;
} configuration;

NW_EXPORT unsigned __llvmPushCallConfiguration(nw_dim3_t grid, nw_dim3_t block, size_t shared_memory, void *stream)
{
    configuration.grid = grid;
    configuration.block = block;
    configuration.shared_memory = shared_memory;
    configuration.stream = stream;
    return 0;
}

NW_EXPORT unsigned __llvmPopCallConfiguration(nw_dim3_t *grid_p, nw_dim3_t *block_p, size_t *shared_memory_p,
                                              void *stream_p)
{
    *grid_p = configuration.grid;
    *block_p = configuration.block;
    *shared_memory_p = configuration.shared_memory;
    *(void **)stream_p = configuration.stream;
    return 0;
}

NW_EXPORT unsigned llvmLaunchKernel(const void *function, nw_dim3_t grid, nw_dim3_t block, void *args,
                                    size_t shared_memory, void *stream)
{
    static _Atomic bool told;
    (void)function, (void)grid, (void)block, (void)args, (void)shared_memory, (void)stream;
    refuse(&told, "llvmLaunchKernel: this runtime launches OpenMP's regions, not kernels of CUDA source; build that "
                  "part without -foffload-via-llvm");
    return (unsigned)FAILED;
}
