/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Deciding a construct: from the map entries that compiled code passes to the steps of one operation.
 *
 * A decision is one hold of all that the construct names in the device's map table, so constructs are ordered as if
 * they ran one after the other: what a construct maps, what it takes out again and whose completion it must await
 * follow from the constructs before it. All the waits of an operation are on operations that were decided earlier, so
 * they can't form a ring.
 */
#ifndef NW_CONSTRUCT_H
#define NW_CONSTRUCT_H

#include "core/images.h"
#include "core/op.h"

/* Map entries of one construct, as compiled code passes them. */
typedef struct nw_map_args {
    int32_t n;
    void **bases;
    void **ptrs;
    const int64_t *sizes;
    const uint64_t *types;
    void **names;   /* NULL, or ";name;file;line;column;;" each */
    void **mappers; /* NULL, or functions that take the place of an entry */
    const int32_t *origins; /* after mappers: the caller's entry that each came from; NULL: the same */
    void **return_bases;    /* where use_device_ptr answers go, by the caller's entry */
} nw_map_args_t;

typedef enum nw_construct_kind { NW_TARGET, NW_DATA_BEGIN, NW_DATA_END, NW_DATA_UPDATE } nw_construct_kind_t;

/* What a target construct launches. */
typedef struct nw_region_launch {
    nw_region_t *region;
    nw_kernel_t *kernel;
    bool implicit_argument; /* kernels since LLVM 16 take a first argument of their own */
    bool teams; /* the region may be a teams construct */
    int32_t num_teams;
    int32_t thread_limit;
    uint64_t trip_count;
    uint32_t dynamic_shared;
} nw_region_launch_t;

/*
 * Decides a construct for an operation that nw_op_begin has prepared; launch is NULL for data constructs. After success
 * the operation must be submitted or run. A failure ends the program with the construct's place: with a device present
 * OpenMP's default policy is mandatory.
 * Threads: any. Blocks: for others' holds only. User-defined mappers are called first, with no lock held.
 */
void nw_construct_decide(nw_op_t *op, nw_construct_kind_t kind, const nw_map_args_t *args,
                         const nw_region_launch_t *launch);

/* Called by mapper functions through the libomptarget interface; `handle` is what they were given. */
int64_t nw_mapper_count(void *handle);
void nw_mapper_push(void *handle, void *base, void *begin, int64_t size, uint64_t type, void *name);

#endif
