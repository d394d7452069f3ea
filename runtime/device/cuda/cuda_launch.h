/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launching a kernel: geometry, arguments, the launch environment of kernels that reduce between teams. */
#ifndef NW_CUDA_LAUNCH_H
#define NW_CUDA_LAUNCH_H

#include "device/cuda/cuda_state.h"

/* Bytes that are copied to the beginning of a launch's own device memory (KernelLaunchEnvironmentTy). */
typedef struct nw_cuda_launch_environment {
    uint32_t reduction_count;
    uint32_t reduction_iteration;
    void *reduction_buffer;
} nw_cuda_launch_environment_t;

_Static_assert(sizeof(nw_cuda_launch_environment_t) == 16, "KernelLaunchEnvironmentTy");

/* Bytes of device memory for the work's launch alone; 0 if it needs none. */
size_t nw_cuda_launch_memory_size(const nw_work_t *work);

/* What belongs at the beginning of that memory; makes it the kernel's first argument. */
nw_cuda_launch_environment_t nw_cuda_launch_environment(nw_work_t *work);

/* Launches the work's kernel into the stream. The GPU's context is current. *call_p names the call that failed. */
CUresult nw_cuda_launch(const nw_cuda_gpu_t *gpu, const nw_work_t *work, CUstream stream, const char **call_p);

#endif
