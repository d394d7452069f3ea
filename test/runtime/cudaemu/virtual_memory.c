/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device does not offer virtual memory management, as its attribute says; the functions are there, as they are in
 * every driver of our time, and say so too. */
#include "cudaemu/emu.h"

CUresult cuMemAddressReserve(CUdeviceptr *address_p, size_t size, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags)
{
    (void)address_p, (void)size, (void)alignment, (void)wanted, (void)flags;
    ENTER(cuMemAddressReserve, NEEDS_CONTEXT);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size)
{
    (void)address, (void)size;
    ENTER(cuMemAddressFree, NEEDS_CONTEXT);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle_p, size_t size, const CUmemAllocationProp *properties,
                     unsigned long long flags)
{
    (void)handle_p, (void)size, (void)properties, (void)flags;
    ENTER(cuMemCreate, NEEDS_CONTEXT);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    (void)handle;
    ENTER(cuMemRelease, NEEDS_CONTEXT);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    (void)address, (void)size, (void)offset, (void)handle, (void)flags;
    ENTER(cuMemMap, NEEDS_CONTEXT);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
    (void)address, (void)size;
    ENTER(cuMemUnmap, NEEDS_CONTEXT);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count)
{
    (void)address, (void)size, (void)access, (void)count;
    ENTER(cuMemSetAccess, NEEDS_CONTEXT);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes_p, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option)
{
    (void)bytes_p, (void)properties, (void)option;
    ENTER(cuMemGetAllocationGranularity, NEEDS_CONTEXT);
    return CUDA_ERROR_NOT_SUPPORTED;
}
