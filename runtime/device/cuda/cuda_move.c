/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_move.h"

static CUdeviceptr at(const void *address)
{
    return (CUdeviceptr)(uintptr_t)address;
}

bool nw_cuda_move_overlaps(const nw_move_t *move)
{
    return move->from && at(move->to) < at(move->from) + move->size && at(move->from) < at(move->to) + move->size;
}

/* The context of the GPU whose memory it is; the given one's if the driver can't tell. */
static CUcontext context_of(const nw_cuda_gpu_t *gpu, const void *address)
{
    CUcontext context;
    return nw_cuda.cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, at(address)) == CUDA_SUCCESS && context
               ? context
               : gpu->context;
}

static CUresult copy(const nw_cuda_gpu_t *gpu, CUstream stream, void *to, const void *from, size_t size,
                     const char **call_p)
{
    if (nw_cuda_gpu_at(1) && nw_cuda.cuMemcpyPeerAsync) {
        CUcontext to_context = context_of(gpu, to), from_context = context_of(gpu, from);
        if (to_context != from_context) {
            *call_p = "cuMemcpyPeerAsync";
            return nw_cuda.cuMemcpyPeerAsync(at(to), to_context, at(from), from_context, size, stream);
        }
    }
    *call_p = "cuMemcpyDtoDAsync";
    return nw_cuda.cuMemcpyDtoDAsync(at(to), at(from), size, stream);
}

CUresult nw_cuda_move(const nw_cuda_gpu_t *gpu, CUstream stream, const nw_move_t *move, void *between,
                      const char **call_p)
{
    if (!move->from) {
        *call_p = "cuMemsetD8Async";
        return nw_cuda.cuMemsetD8Async(at(move->to), (unsigned char)move->byte, move->size, stream);
    }
    if (!nw_cuda_move_overlaps(move))
        return copy(gpu, stream, move->to, move->from, move->size, call_p);
    CUresult result = copy(gpu, stream, between, move->from, move->size, call_p);
    return result == CUDA_SUCCESS ? copy(gpu, stream, move->to, between, move->size, call_p) : result;
}
