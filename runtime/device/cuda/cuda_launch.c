/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_launch.h"

#include <inttypes.h>

#include "support/info.h"
#include "support/log.h"
#include "support/settings.h"

/* The reduction buffer's distance from the launch environment. */
#define BUFFER_OFFSET 256u

/* What every kernel may use without asking. */
#define PLAIN_DYNAMIC_SHARED (48u << 10)

size_t nw_cuda_launch_memory_size(const nw_work_t *work)
{
    const nw_launch_t *launch = &work->launch;
    return work->has_kernel && launch->implicit_argument && launch->kernel->reduction_bytes > 0
               ? BUFFER_OFFSET + launch->kernel->reduction_bytes
               : 0;
}

nw_cuda_launch_environment_t nw_cuda_launch_environment(nw_work_t *work)
{
    work->launch.args[0] = (uint64_t)(uintptr_t)work->state.memory;
    return (nw_cuda_launch_environment_t){.reduction_buffer = (char *)work->state.memory + BUFFER_OFFSET};
}

/* The driver wants to know of large dynamic shared memory before. It is told once for each new maximum. */
static CUresult allow_dynamic_shared(nw_kernel_t *kernel, uint32_t bytes)
{
    if (bytes <= PLAIN_DYNAMIC_SHARED || bytes <= atomic_load_explicit(&kernel->dynamic_shared, memory_order_relaxed))
        return CUDA_SUCCESS;
    CUresult result = nw_cuda.cuFuncSetAttribute(
        kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    if (result == CUDA_SUCCESS)
        atomic_store_explicit(&kernel->dynamic_shared, bytes, memory_order_relaxed);
    return result;
}

static const char *mode_name(nw_cuda_mode_t mode)
{
    switch (mode) {
    case NW_CUDA_GENERIC:
        return "Generic";
    case NW_CUDA_SPMD:
        return "SPMD";
    case NW_CUDA_GENERIC_SPMD:
        return "Generic-SPMD";
    case NW_CUDA_NO_LOOP:
        return "SPMD-No-Loop";
    case NW_CUDA_BARE:
        break;
    }
    return "Bare";
}

static __attribute__((cold, noinline)) void tell(const nw_cuda_gpu_t *gpu, const nw_work_t *work,
                                                 nw_cuda_geometry_t geometry)
{
    const nw_launch_t *launch = &work->launch;
    nw_log_at(NW_LOG_DEBUG, work->loc, "device %d: kernel %s: %u blocks of %u threads", gpu->device->number,
              launch->name, geometry.blocks, geometry.threads);
    const char *before = launch->tells_dimensions ? "[" : "", *behind = launch->tells_dimensions ? ",1,1]" : "";
    if (nw_settings.info & NW_INFO_LAUNCH)
        nw_info_of_plugin(gpu->device->number,
                          "Launching kernel %s with %s%u%s blocks and %s%u%s threads in %s mode, trip count %" PRIu64,
                          launch->name, before, geometry.blocks, behind, before, geometry.threads, behind,
                          mode_name(launch->kernel->shape.mode), launch->trip_count);
}

CUresult nw_cuda_launch(const nw_cuda_gpu_t *gpu, const nw_work_t *work, CUstream stream, const char **call_p)
{
    const nw_launch_t *launch = &work->launch;
    size_t size = launch->n_args * sizeof launch->args[0];
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, launch->args, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    nw_cuda_geometry_t geometry =
        nw_cuda_geometry(&launch->kernel->shape, launch->num_teams, launch->thread_limit, launch->trip_count);
    if (NW_UNLIKELY(nw_settings.log >= NW_LOG_DEBUG || nw_settings.info & NW_INFO_LAUNCH))
        tell(gpu, work, geometry);
    *call_p = "cuFuncSetAttribute";
    CUresult result = allow_dynamic_shared(launch->kernel, launch->dynamic_shared);
    if (result != CUDA_SUCCESS)
        return result;
    *call_p = "cuLaunchKernel";
    return nw_cuda.cuLaunchKernel(launch->kernel->function, geometry.blocks, 1, 1, geometry.threads, 1, 1,
                                  launch->dynamic_shared, stream, NULL, extra);
}
