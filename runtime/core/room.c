/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/room.h"

#include <stdlib.h>
#include <time.h>

#include "core/map_types.h"
#include "core/requirements.h"
#include "core/reuse.h"
#include "core/stats.h"
#include "support/log.h"

/* Blocks are aligned, and have some padding in front. */
#define PADDING 64u

/* How long nothing must have been in flight before memory is given up for lost: what has just ended is still being
 * post-processed. */
#define NAP_NS 200000
#define NAPS_WITHOUT_WORK 1000

/* How many decisions wait inside of each other on one of a backend's threads, which serves its device meanwhile. Each
 * needs a few kilobytes of the thread's stack. */
#define MOST_NESTED 500u

/* Whether entry i may take device memory. */
static bool may_need(const nw_map_args_t *args, int32_t i)
{
    uint64_t type = args->types[i];
    return !(type & NW_MAP_LITERAL) && args->sizes[i] > 0 &&
           ((type & (NW_MAP_CLOSE | NW_MAP_PRIVATE)) || !nw_requirements_shared_memory());
}

static size_t upper_bound(const nw_map_args_t *args)
{
    size_t sum = 0;
    for (int32_t i = 0; i < args->n; i++) {
        if (may_need(args, i))
            sum += (size_t)args->sizes[i] + PADDING;
    }
    return sum;
}

/* Bytes that entry i takes from the device's memory; 0: none. Caller holds the table. */
static size_t needs(const nw_op_t *op, const nw_map_args_t *args, int32_t i)
{
    nw_map_table_t *table = &op->device->map;
    nw_mapping_t *mapping;
    uint64_t type = args->types[i];
    if ((type & NW_MAP_NON_CONTIGUOUS) || !may_need(args, i))
        return 0;
    if (!(type & NW_MAP_PRIVATE) &&
        (nw_map_table_lookup(table, args->ptrs[i], (size_t)args->sizes[i], &mapping) != NW_ABSENT ||
         nw_reuse_is_possible(op, type, args->ptrs[i], (size_t)args->sizes[i])))
        return 0;
    /* The very size that will be asked for, so that the pool gives the same block. */
    return (size_t)args->sizes[i] + (uintptr_t)args->ptrs[i] % PADDING;
}

/* Takes all that the construct needs and gives it back, so that the pool has it; false if it has not. */
static bool try_to_take(const nw_op_t *op, const nw_map_args_t *args, void **blocks, size_t *sizes)
{
    nw_core_device_t *device = op->device;
    nw_device_t *base = &device->base;
    bool fits = true;
    int32_t n = 0;
    nw_map_hold_t hold = nw_map_hold(&device->map, NULL);
    for (int32_t i = 0; i < args->n && fits; i++) {
        sizes[n] = needs(op, args, i);
        if (sizes[n] == 0)
            continue;
        blocks[n] = base->ops->alloc(base, sizes[n]);
        fits = blocks[n] != NULL;
        n += fits;
    }
    while (n-- > 0)
        base->ops->free(base, blocks[n], sizes[n]);
    nw_map_release(&device->map, hold);
    return fits;
}

static __attribute__((cold, noinline)) void wait_for_room(const nw_op_t *op, const nw_map_args_t *args)
{
    nw_device_t *base = &op->device->base;
    void **blocks = malloc((size_t)args->n * sizeof *blocks);
    size_t *sizes = malloc((size_t)args->n * sizeof *sizes);
    if (blocks && sizes && !try_to_take(op, args, blocks, sizes)) {
        nw_stats_count(NW_STAT_BLOCKING_WAITS);
        for (int idle = 0; idle < NAPS_WITHOUT_WORK && !try_to_take(op, args, blocks, sizes);
             idle = base->ops->is_busy(base) ? 0 : idle + 1) {
            if (!base->ops->serve())
                nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
        }
    }
    free(blocks);
    free(sizes);
}

void nw_room_wait(const nw_op_t *op, const nw_map_args_t *args)
{
    nw_device_t *base = &op->device->base;
    if (!base->ops->memory_left || NW_LIKELY(upper_bound(args) <= base->ops->memory_left(base)))
        return;
    static _Thread_local uint32_t nested;
    if (nested >= MOST_NESTED)
        return;
    nested++;
    wait_for_room(op, args);
    nested--;
}
