/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explicit memory: omp_target_alloc, omp_target_free, and LLVM's kinds of memory beside it. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include <bsd/sys/tree.h>

#include "core/tool.h"
#include "omptarget/device_number.h"
#include "omptarget/omptarget.h"
#include "support/export.h"
#include "support/log.h"

typedef enum memory_kind { DEVICE_MEMORY, HOST_MEMORY, SHARED_MEMORY } memory_kind_t;

static const char *const kind_words[] = {"device", "host", "shared"};

/* A block that the program has: the routines that free it are told neither its size nor whether it is one. */
typedef struct block {
    RB_ENTRY(block) link;
    char *address;
    size_t size; /* bytes */
    nw_core_device_t *device;
    memory_kind_t kind;
} block_t;

static int compare(const block_t *a, const block_t *b)
{
    return a->address < b->address ? -1 : a->address > b->address;
}

RB_HEAD(block_tree, block);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
RB_GENERATE_INTERNAL(block_tree, block, link, compare, static)
#pragma GCC diagnostic pop

/* Blocks of different devices may have the same address only if their memory is not the host's: then the device is
 * part of the question, so each device has a tree. */
static struct block_tree trees[NW_MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take_memory(nw_device_t *device, size_t size, memory_kind_t kind)
{
    if (kind == DEVICE_MEMORY)
        return device->ops->alloc(device, size);
    if (!device->ops->alloc_reachable)
        return NULL;
    return device->ops->alloc_reachable(device, size, kind == HOST_MEMORY ? NW_REACHABLE_HOST : NW_REACHABLE_SHARED);
}

static void give_back(const block_t *block)
{
    nw_device_t *device = &block->device->base;
    if (block->kind == DEVICE_MEMORY)
        device->ops->free(device, block->address, block->size);
    else
        device->ops->free_reachable(device, block->address,
                                    block->kind == HOST_MEMORY ? NW_REACHABLE_HOST : NW_REACHABLE_SHARED);
}

static void *allocate(size_t size, int number, memory_kind_t kind, const char *routine)
{
    if (size == 0)
        return NULL;
    if (nw_device_number_is_host(number))
        return malloc(size);
    nw_core_device_t *device = nw_device_number_open(number, routine);
    if (!device)
        return NULL;
    nw_tool_data_op_t told;
    bool tells = nw_tool_attached();
    if (tells)
        told = nw_tool_data_op_begin(NW_OMPT_ALLOC, NULL, device, NULL, NULL, size);
    block_t *block = malloc(sizeof *block);
    char *address = block ? take_memory(&device->base, size, kind) : NULL;
    if (tells) {
        told.to = address;
        nw_tool_data_op(&told, NW_OMPT_END);
    }
    if (!address) {
        nw_log(NW_LOG_ERROR, "%s: no %zu bytes of %s memory on device %d", routine, size, kind_words[kind], number);
        free(block);
        return NULL;
    }
    *block = (block_t){.address = address, .size = size, .device = device, .kind = kind};
    pthread_mutex_lock(&lock);
    RB_INSERT(block_tree, &trees[number], block);
    pthread_mutex_unlock(&lock);
    return address;
}

static void release(void *address, int number, memory_kind_t kind, const char *routine)
{
    if (!address)
        return;
    if (nw_device_number_is_host(number)) {
        free(address);
        return;
    }
    if (!nw_device_number_open(number, routine))
        return;
    block_t key = {.address = address};
    pthread_mutex_lock(&lock);
    block_t *block = RB_FIND(block_tree, &trees[number], &key);
    /* LLVM frees every kind with omp_target_free as well. */
    bool fits = block && (kind == DEVICE_MEMORY || block->kind == kind);
    if (fits)
        RB_REMOVE(block_tree, &trees[number], block);
    pthread_mutex_unlock(&lock);
    if (!fits) {
        nw_log(NW_LOG_ERROR, "%s: %p is not the begin of %s memory that was allocated on device %d", routine, address,
               kind_words[kind], number);
        return;
    }
    nw_tool_data_op_t told;
    bool tells = nw_tool_attached();
    if (tells)
        told = nw_tool_data_op_begin(NW_OMPT_DELETE, NULL, NULL, address, block->device, block->size);
    give_back(block);
    if (tells)
        nw_tool_data_op(&told, NW_OMPT_END);
    free(block);
}

NW_EXPORT void *omp_target_alloc(size_t size, int device)
{
    NW_TOOL_ENTER();
    return allocate(size, device, DEVICE_MEMORY, "omp_target_alloc");
}

NW_EXPORT void omp_target_free(void *address, int device)
{
    NW_TOOL_ENTER();
    release(address, device, DEVICE_MEMORY, "omp_target_free");
}

NW_EXPORT void *llvm_omp_target_alloc_device(size_t size, int device)
{
    NW_TOOL_ENTER();
    return allocate(size, device, DEVICE_MEMORY, "llvm_omp_target_alloc_device");
}

NW_EXPORT void llvm_omp_target_free_device(void *address, int device)
{
    NW_TOOL_ENTER();
    release(address, device, DEVICE_MEMORY, "llvm_omp_target_free_device");
}

NW_EXPORT void *llvm_omp_target_alloc_host(size_t size, int device)
{
    NW_TOOL_ENTER();
    return allocate(size, device, HOST_MEMORY, "llvm_omp_target_alloc_host");
}

NW_EXPORT void llvm_omp_target_free_host(void *address, int device)
{
    NW_TOOL_ENTER();
    release(address, device, HOST_MEMORY, "llvm_omp_target_free_host");
}

NW_EXPORT void *llvm_omp_target_alloc_shared(size_t size, int device)
{
    NW_TOOL_ENTER();
    return allocate(size, device, SHARED_MEMORY, "llvm_omp_target_alloc_shared");
}

NW_EXPORT void llvm_omp_target_free_shared(void *address, int device)
{
    NW_TOOL_ENTER();
    release(address, device, SHARED_MEMORY, "llvm_omp_target_free_shared");
}

/* In a region: the team's memory of the clause ompx_dyn_cgroup_mem, which the device's own runtime answers for. On the
 * host there is none, and a CPU device has none either. */
NW_EXPORT void *llvm_omp_target_dynamic_shared_alloc(void)
{
    return NULL;
}

/* Returns the address by which the device reaches the host's memory: the host's own. Every device copies to and from
 * memory that is not locked, so there is nothing to undo. */
NW_EXPORT void *llvm_omp_target_lock_mem(void *address, size_t size, int device)
{
    if (!address || size == 0)
        return NULL;
    if (!nw_device_number_is_host(device) && !nw_device_number_open(device, "llvm_omp_target_lock_mem"))
        return NULL;
    return address;
}

NW_EXPORT void llvm_omp_target_unlock_mem(void *address, int device)
{
    (void)address;
    if (!nw_device_number_is_host(device))
        (void)nw_device_number_open(device, "llvm_omp_target_unlock_mem");
}
