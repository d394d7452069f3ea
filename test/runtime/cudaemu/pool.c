/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/pool.h"

#include <string.h>

#include "cudaemu/handle.h"
#include "cudaemu/stream.h"

enum { N_ATTRIBUTES = 9 };

struct CUmemPoolHandle_st {
    uint64_t live; /* first: of the handle */
    context_t *context;
    uint64_t used, used_high; /* bytes */
    uint64_t release_threshold;
    int reuse[4]; /* by CUmemPool_attribute */
    bool is_default;
};

static handles_t pools = {.size = sizeof(pool_t), .limit = 4096};

static pool_t *new_pool(context_t *context)
{
    pool_t *pool = emu_handle_new(&pools);
    if (pool) {
        pool->context = context;
        pool->reuse[1] = pool->reuse[2] = pool->reuse[3] = 1;
    }
    return pool;
}

pool_t *emu_pool_default(context_t *context)
{
    if (!context->default_pool) {
        context->default_pool = new_pool(context);
        context->default_pool->is_default = true;
    }
    return context->default_pool;
}

void emu_pool_returned(pool_t *pool, size_t size)
{
    pool->used -= size;
}

static bool is_pool(pool_t *pool)
{
    if (emu_handle_is(&pools, pool))
        return true;
    emu_misuse("%p is no memory pool", (void *)pool);
    return false;
}

/* The address is known at once, the memory is the stream's from here on. */
static CUresult allocate(CUdeviceptr *address_p, size_t size, pool_t *pool, CUstream handle)
{
    if (!emu_settings.pools)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!address_p || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    stream_t *stream;
    emu_lock();
    CUresult result = emu_stream_to_issue(handle, &stream);
    if (result == CUDA_SUCCESS && !pool)
        pool = emu_pool_default(stream->context);
    if (result == CUDA_SUCCESS && !is_pool(pool))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        allocation_t *allocation = emu_memory_new(pool->context, MEMORY_POOL, size, 0);
        result = allocation ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
        if (allocation) {
            allocation->pool = pool;
            *address_p = (CUdeviceptr)allocation->start;
            pool->used += size;
            if (pool->used > pool->used_high)
                pool->used_high = pool->used;
        }
    }
    emu_unlock();
    return result;
}

CUresult cuMemAllocAsync(CUdeviceptr *address_p, size_t size, CUstream stream)
{
    ENTER(cuMemAllocAsync, NEEDS_STREAM);
    return allocate(address_p, size, NULL, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address_p, size_t size, CUmemoryPool pool, CUstream stream)
{
    ENTER(cuMemAllocFromPoolAsync, NEEDS_STREAM);
    return pool ? allocate(address_p, size, pool, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle)
{
    ENTER(cuMemFreeAsync, NEEDS_STREAM);
    if (!emu_settings.pools)
        return CUDA_ERROR_NOT_SUPPORTED;
    stream_t *stream;
    emu_lock();
    CUresult result = emu_stream_to_issue(handle, &stream);
    if (result == CUDA_SUCCESS) {
        allocation_t *allocation = emu_memory_find((void *)address);
        if (!allocation || allocation->start != (char *)address || allocation->freeing ||
            (allocation->kind != MEMORY_POOL && allocation->kind != MEMORY_DEVICE)) {
            emu_misuse("cuMemFreeAsync of %p, which is not what it frees, or is freed already", (void *)address);
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            allocation->freeing = true;
            command_t *command = emu_command_new(COMMAND_FREE);
            command->freed = address;
            emu_issue(stream, command);
        }
    }
    emu_unlock();
    return result;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_p, CUdevice device)
{
    ENTER(cuDeviceGetDefaultMemPool, NEEDS_INIT);
    context_t *context = emu_device(device);
    if (!context)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!pool_p)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_settings.pools)
        return CUDA_ERROR_NOT_SUPPORTED;
    emu_lock();
    *pool_p = emu_pool_default(context);
    emu_unlock();
    return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool_p, const CUmemPoolProps *properties)
{
    ENTER(cuMemPoolCreate, NEEDS_CONTEXT);
    if (!emu_settings.pools)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!pool_p || !properties || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    context_t *context = emu_device(properties->location.id);
    if (!context)
        return CUDA_ERROR_INVALID_DEVICE;
    emu_lock();
    *pool_p = new_pool(context);
    emu_unlock();
    return *pool_p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    ENTER(cuMemPoolDestroy, NEEDS_CONTEXT);
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    if (is_pool(pool) && !pool->is_default) {
        if (pool->used)
            emu_misuse("cuMemPoolDestroy of a pool with %llu bytes in use", (unsigned long long)pool->used);
        else
            emu_handle_free(&pools, pool);
        result = CUDA_SUCCESS;
    }
    emu_unlock();
    return result;
}

/* Where an attribute of 8 bytes lies, or NULL. The pool keeps nothing back: what is reserved is what is used. */
static uint64_t *attribute_of(pool_t *pool, CUmemPool_attribute which)
{
    switch (which) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        return &pool->release_threshold;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        return &pool->used;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        return &pool->used_high;
    default:
        return NULL;
    }
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void *value)
{
    ENTER(cuMemPoolGetAttribute, NEEDS_INIT);
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    if (value && is_pool(pool) && which >= 1 && which < N_ATTRIBUTES) {
        uint64_t *attribute = attribute_of(pool, which);
        if (attribute)
            *(uint64_t *)value = *attribute;
        else
            *(int *)value = pool->reuse[which];
        result = CUDA_SUCCESS;
    }
    emu_unlock();
    return result;
}

/* High-water marks can only be set to zero, which means: begin anew. */
static CUresult set_attribute(pool_t *pool, CUmemPool_attribute which, const void *value)
{
    switch (which) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->release_threshold = *(const uint64_t *)value;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        if (*(const uint64_t *)value != 0)
            return CUDA_ERROR_INVALID_VALUE;
        pool->used_high = pool->used;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        pool->reuse[which] = *(const int *)value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void *value)
{
    ENTER(cuMemPoolSetAttribute, NEEDS_INIT);
    emu_lock();
    CUresult result = value && is_pool(pool) ? set_attribute(pool, which, value) : CUDA_ERROR_INVALID_VALUE;
    emu_unlock();
    return result;
}

/* The pool keeps nothing back that could be given to the system. */
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes_to_keep)
{
    ENTER(cuMemPoolTrimTo, NEEDS_INIT);
    (void)bytes_to_keep;
    emu_lock();
    CUresult result = is_pool(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    emu_unlock();
    return result;
}
