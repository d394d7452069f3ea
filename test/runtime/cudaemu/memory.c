/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/memory.h"

#include <stdlib.h>
#include <string.h>

#include "cudaemu/event.h"
#include "cudaemu/module.h"
#include "cudaemu/pool.h"
#include "cudaemu/stream.h"

/* Memory of devices begins on such an address, in bytes. */
#define ALIGNMENT 512u
/* Behind it lies a guard: a kernel or copy that writes past the end is found at the latest when it is freed. */
#define GUARD 64u
#define GUARD_BYTE 0xA5
/* What new and freed memory is filled with, as far as this many bytes. */
#define SCRUBBED (64u << 10)
#define NEW_BYTE 0xCD
#define FREED_BYTE 0xDD

static int compare(const allocation_t *a, const allocation_t *b)
{
    return (a->start > b->start) - (a->start < b->start);
}

RB_HEAD(allocations, allocation);
RB_GENERATE_INTERNAL(allocations, allocation, link, compare, __attribute__((unused)) static)

static struct allocations all = RB_INITIALIZER(&all);
static uint64_t bytes_of[N_MEMORY_KINDS], count_of[N_MEMORY_KINDS], device_high, n_ever;

static bool is_of_device(memory_kind_t kind)
{
    return kind == MEMORY_DEVICE || kind == MEMORY_POOL || kind == MEMORY_MANAGED;
}

/* --- the set of allocations ----------------------------------------------------------------------------------- */

/* The allocation with the highest start at or below an address. */
static allocation_t *at_or_below(const char *address)
{
    allocation_t *best = NULL;
    for (allocation_t *node = RB_ROOT(&all); node;) {
        if (node->start <= address) {
            best = node;
            node = RB_RIGHT(node, link);
        } else {
            node = RB_LEFT(node, link);
        }
    }
    return best;
}

allocation_t *emu_memory_find(const void *address)
{
    allocation_t *found = at_or_below(address);
    return found && (size_t)((const char *)address - found->start) < found->size ? found : NULL;
}

allocation_t *emu_memory_of_range(const void *start, size_t size)
{
    allocation_t *found = emu_memory_find(start);
    return found && size <= found->size - (size_t)((const char *)start - found->start) ? found : NULL;
}

bool emu_memory_still(const void *start, size_t size)
{
    if (size == 0 || emu_memory_of_range(start, size))
        return true;
    emu_misuse("%zu bytes of device memory at %p were freed while a command on them was pending", size, start);
    return false;
}

static bool overlaps(const char *start, size_t size)
{
    allocation_t *last = at_or_below(start + size - 1);
    return last && last->start + last->size > start;
}

static allocation_t *insert(context_t *context, memory_kind_t kind, void *start, size_t size, unsigned int flags)
{
    allocation_t *allocation = emu_alloc(sizeof *allocation);
    allocation->start = start;
    allocation->size = size;
    allocation->kind = kind;
    allocation->context = context;
    allocation->flags = flags;
    allocation->number = ++n_ever;
    RB_INSERT(allocations, &all, allocation);
    bytes_of[kind] += size;
    count_of[kind]++;
    uint64_t of_devices = bytes_of[MEMORY_DEVICE] + bytes_of[MEMORY_POOL];
    if (of_devices > device_high)
        device_high = of_devices;
    if (is_of_device(kind)) {
        context->memory_used += size;
        if (context->memory_used > context->memory_high)
            context->memory_high = context->memory_used;
    }
    return allocation;
}

allocation_t *emu_memory_new(context_t *context, memory_kind_t kind, size_t size, unsigned int flags)
{
    if (size > SIZE_MAX / 2 || (is_of_device(kind) && size > emu_settings.memory - context->memory_used))
        return NULL;
    size_t whole = (size + GUARD + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *start = aligned_alloc(ALIGNMENT, whole);
    if (!start)
        return NULL;
    if (emu_settings.scrub)
        memset(start, NEW_BYTE, size < SCRUBBED ? size : SCRUBBED);
    memset(start + size, GUARD_BYTE, GUARD);
    return insert(context, kind, start, size, flags);
}

allocation_t *emu_memory_adopt(context_t *context, memory_kind_t kind, void *start, size_t size, unsigned int flags)
{
    if (size == 0 || overlaps(start, size))
        return NULL;
    allocation_t *allocation = insert(context, kind, start, size, flags);
    allocation->adopted = true;
    return allocation;
}

void emu_memory_becomes_module(allocation_t *allocation)
{
    bytes_of[allocation->kind] -= allocation->size;
    count_of[allocation->kind]--;
    allocation->context->memory_used -= allocation->size;
    allocation->kind = MEMORY_MODULE;
    bytes_of[MEMORY_MODULE] += allocation->size;
    count_of[MEMORY_MODULE]++;
}

static void check_guard(const allocation_t *allocation)
{
    for (size_t i = 0; i < GUARD; i++) {
        if ((unsigned char)allocation->start[allocation->size + i] != GUARD_BYTE) {
            emu_misuse("byte %zu behind the end of %zu bytes at %p was written", i, allocation->size,
                       (void *)allocation->start);
            return;
        }
    }
}

void emu_memory_delete(allocation_t *allocation)
{
    bytes_of[allocation->kind] -= allocation->size;
    count_of[allocation->kind]--;
    if (is_of_device(allocation->kind))
        allocation->context->memory_used -= allocation->size;
    if (allocation->pool)
        emu_pool_returned(allocation->pool, allocation->size);
    RB_REMOVE(allocations, &all, allocation);
    if (!allocation->adopted) {
        check_guard(allocation);
        if (emu_settings.scrub)
            memset(allocation->start, FREED_BYTE, allocation->size < SCRUBBED ? allocation->size : SCRUBBED);
        free(allocation->start);
    }
    free(allocation);
}

void emu_memory_delete_all(const context_t *context)
{
    for (allocation_t *next, *allocation = RB_MIN(allocations, &all); allocation; allocation = next) {
        next = RB_NEXT(allocations, &all, allocation);
        if (allocation->context == context)
            emu_memory_delete(allocation);
    }
}

void emu_memory_free_ordered(CUdeviceptr address)
{
    allocation_t *allocation = emu_memory_find((void *)address);
    if (allocation && allocation->start == (char *)address)
        emu_memory_delete(allocation);
}

void cudaemu_memory(cudaemu_memory_t *memory)
{
    emu_lock();
    *memory = (cudaemu_memory_t){
        .device_bytes = bytes_of[MEMORY_DEVICE] + bytes_of[MEMORY_POOL],
        .device_count = count_of[MEMORY_DEVICE] + count_of[MEMORY_POOL],
        .pinned_bytes = bytes_of[MEMORY_PINNED] + bytes_of[MEMORY_REGISTERED],
        .pinned_count = count_of[MEMORY_PINNED] + count_of[MEMORY_REGISTERED],
        .managed_bytes = bytes_of[MEMORY_MANAGED],
        .managed_count = count_of[MEMORY_MANAGED],
        .device_bytes_high = device_high,
        .streams = emu_streams_live(),
        .events = emu_events_live(),
        .modules = emu_modules_live(),
    };
    emu_unlock();
}

/* --- the driver's functions ----------------------------------------------------------------------------------- */

CUresult cuMemGetInfo_v2(size_t *free_p, size_t *total_p)
{
    ENTER(cuMemGetInfo, NEEDS_CONTEXT);
    if (!free_p || !total_p)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    *free_p = emu_settings.memory - emu_current()->memory_used;
    *total_p = emu_settings.memory;
    emu_unlock();
    return CUDA_SUCCESS;
}

static CUresult allocate(void **address_p, memory_kind_t kind, size_t size, unsigned int flags)
{
    if (!address_p || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    allocation_t *allocation = emu_memory_new(emu_current(), kind, size, flags);
    if (allocation)
        *address_p = allocation->start;
    emu_unlock();
    return allocation ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address_p, size_t size)
{
    ENTER(cuMemAlloc, NEEDS_CONTEXT);
    if (emu_settings.alloc_waits)
        emu_wait_for_context(emu_current());
    void *address;
    CUresult result = allocate(address_p ? &address : NULL, MEMORY_DEVICE, size, 0);
    if (result == CUDA_SUCCESS)
        *address_p = (CUdeviceptr)address;
    return result;
}

CUresult cuMemAllocManaged(CUdeviceptr *address_p, size_t size, unsigned int flags)
{
    ENTER(cuMemAllocManaged, NEEDS_CONTEXT);
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    void *address;
    CUresult result = allocate(address_p ? &address : NULL, MEMORY_MANAGED, size, flags);
    if (result == CUDA_SUCCESS)
        *address_p = (CUdeviceptr)address;
    return result;
}

CUresult cuMemHostAlloc(void **address_p, size_t size, unsigned int flags)
{
    ENTER(cuMemHostAlloc, NEEDS_CONTEXT);
    if (flags & ~7u)
        return CUDA_ERROR_INVALID_VALUE;
    return allocate(address_p, MEMORY_PINNED, size, flags);
}

CUresult cuMemAllocHost_v2(void **address_p, size_t size)
{
    ENTER(cuMemAllocHost, NEEDS_CONTEXT);
    return allocate(address_p, MEMORY_PINNED, size, 0);
}

/* Frees memory of some kinds at its start, after the device is idle if the settings say that this call waits. */
static CUresult release(void *address, const char *what, unsigned int kinds)
{
    if (emu_settings.free_waits)
        emu_wait_for_context(emu_current());
    emu_lock();
    allocation_t *allocation = emu_memory_find(address);
    bool right = allocation && allocation->start == address && (kinds >> allocation->kind & 1) && !allocation->freeing;
    if (right)
        emu_memory_delete(allocation);
    emu_unlock();
    if (!right)
        emu_misuse("%s of %p, which is not what it frees, or is freed already", what, address);
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    ENTER(cuMemFree, NEEDS_CONTEXT);
    if (!address)
        return CUDA_SUCCESS;
    return release((void *)address, "cuMemFree", 1u << MEMORY_DEVICE | 1u << MEMORY_POOL | 1u << MEMORY_MANAGED);
}

CUresult cuMemFreeHost(void *address)
{
    ENTER(cuMemFreeHost, NEEDS_CONTEXT);
    return address ? release(address, "cuMemFreeHost", 1u << MEMORY_PINNED) : CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *address, size_t size, unsigned int flags)
{
    ENTER(cuMemHostRegister, NEEDS_CONTEXT);
    if (!address || size == 0 || flags & ~15u)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    bool new = emu_memory_adopt(emu_current(), MEMORY_REGISTERED, address, size, flags) != NULL;
    emu_unlock();
    return new ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

CUresult cuMemHostUnregister(void *address)
{
    ENTER(cuMemHostUnregister, NEEDS_CONTEXT);
    CUresult result = release(address, "cuMemHostUnregister", 1u << MEMORY_REGISTERED);
    return result == CUDA_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

static bool is_of_host(const allocation_t *allocation)
{
    return allocation && (allocation->kind == MEMORY_PINNED || allocation->kind == MEMORY_REGISTERED);
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address_p, void *host, unsigned int flags)
{
    ENTER(cuMemHostGetDevicePointer, NEEDS_CONTEXT);
    if (!address_p || flags)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    bool known = is_of_host(emu_memory_find(host));
    emu_unlock();
    if (known)
        *address_p = (CUdeviceptr)host;
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostGetFlags(unsigned int *flags_p, void *address)
{
    ENTER(cuMemHostGetFlags, NEEDS_CONTEXT);
    emu_lock();
    allocation_t *allocation = emu_memory_find(address);
    bool known = flags_p && is_of_host(allocation);
    if (known)
        *flags_p = allocation->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    emu_unlock();
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- what a pointer is ---------------------------------------------------------------------------------------- */

static CUresult attribute_of(const allocation_t *allocation, const char *address, CUpointer_attribute which,
                             void *value)
{
    bool of_host = is_of_host(allocation);
    switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)value = allocation->context;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned int *)value = of_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)value = (CUdeviceptr)address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!of_host && allocation->kind != MEMORY_MANAGED)
            return CUDA_ERROR_INVALID_VALUE;
        *(const void **)value = address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)value = allocation->number;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned int *)value = allocation->kind == MEMORY_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = allocation->context->device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)value = (CUdeviceptr)allocation->start;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)value = allocation->size;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned int *)value = 1;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute which, CUdeviceptr address)
{
    ENTER(cuPointerGetAttribute, NEEDS_CONTEXT);
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    allocation_t *allocation = emu_memory_find((void *)address);
    CUresult result = allocation ? attribute_of(allocation, (char *)address, which, value) : CUDA_ERROR_INVALID_VALUE;
    emu_unlock();
    return result;
}

/* Bytes of an attribute's value. */
static size_t attribute_size(CUpointer_attribute which)
{
    switch (which) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return 4;
    default:
        return 8;
    }
}

/* Of memory that the driver does not know, all attributes are zero, and the call succeeds. */
CUresult cuPointerGetAttributes(unsigned int n, CUpointer_attribute *which, void **values, CUdeviceptr address)
{
    ENTER(cuPointerGetAttributes, NEEDS_CONTEXT);
    if (n == 0 || !which || !values)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    allocation_t *allocation = emu_memory_find((void *)address);
    for (unsigned int i = 0; i < n; i++) {
        memset(values[i], 0, attribute_size(which[i]));
        if (which[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            *(int *)values[i] = -2;
        if (allocation)
            (void)attribute_of(allocation, (char *)address, which[i], values[i]);
    }
    emu_unlock();
    return CUDA_SUCCESS;
}
