/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A copy or a fill of memory that the program names by addresses (omp_target_memcpy and its kin): no map table knows of
 * it, so it waits for nothing and nothing waits for it but its task.
 *
 * It is a rectangle: contiguous runs of bytes, laid out by up to n_dims strides on either side. Who carries it out
 * follows from the two ends. A device whose memory is the host's own counts as the host, so every pair is one step,
 * except two devices of different backends: these exchange through a buffer on the host.
 */
#ifndef NW_TRANSFER_H
#define NW_TRANSFER_H

#include "core/op.h"

typedef enum nw_transfer_kind {
    NW_TRANSFER_IN,     /* host to device */
    NW_TRANSFER_OUT,    /* device to host */
    NW_TRANSFER_WITHIN, /* between addresses that one device reaches */
    NW_TRANSFER_FILL,
    NW_TRANSFER_THROUGH_HOST
} nw_transfer_kind_t;

/* One dimension above the contiguous run. Strides in bytes. */
typedef struct nw_transfer_dim {
    size_t n;
    size_t to_stride, from_stride;
} nw_transfer_dim_t;

typedef struct nw_transfer {
    nw_transfer_kind_t kind;
    nw_core_device_t *to_device, *from_device; /* NULL: the host; a fill has only the first */
    char *to;
    const char *from;
    int byte;                      /* a fill's */
    size_t run;                    /* bytes of each contiguous run */
    size_t n_runs;                 /* product of the dimensions' n; 0: nothing to do */
    int n_dims;                    /* 0: one run */
    const nw_transfer_dim_t *dims; /* outermost first; the caller's, as long as the transfer lasts */
} nw_transfer_t;

/* Sets the kind from the two ends, which the caller has set. */
void nw_transfer_classify(nw_transfer_t *transfer, bool fill);

/* The device that can carry a transfer out as an asynchronous operation; NULL if none can. Threads: any. */
nw_core_device_t *nw_transfer_carrier(const nw_transfer_t *transfer);

/* Carries a transfer out on the calling thread. Blocks: until it is over. */
nw_status_t nw_transfer_run(const nw_transfer_t *transfer) NW_MUST_CHECK;

/* Makes a transfer the whole of an operation that nw_op_begin has prepared for its carrier; the operation must then be
 * submitted. The transfer must last as long as the operation. Threads: any. Blocks: never. */
void nw_transfer_decide(nw_op_t *op, const nw_transfer_t *transfer);

/* The iterators of device/device.h, for operations that are transfers. */
bool nw_transfer_next_chunk(const nw_transfer_t *transfer, bool in, nw_cursor_t *cursor, nw_chunk_t *chunk_p);
bool nw_transfer_next_move(const nw_transfer_t *transfer, nw_cursor_t *cursor, nw_move_t *move_p);

#endif
