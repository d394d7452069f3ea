/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One asynchronous operation: the steps of one construct on one device, what it waits for, and what happens when it is
 * over.
 *
 *     IDLE --decided--> SUBMITTED --device done--> POSTING --> DONE
 *
 * nw_op_move is the only function that changes the state; DONE is final. The thread that wins SUBMITTED -> POSTING runs
 * post-processing, exactly once and with no lock held: it gives up the operation's mappings, frees what only it used,
 * and starts the operations that waited for it.
 *
 * An operation lives in memory that its owner provides (a task's slot, or the stack of a thread that waits for it) and
 * must not be touched by the owner between submission and DONE.
 */
#ifndef NW_OP_H
#define NW_OP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/devices.h"
#include "core/section.h"
#include "device/device.h"

typedef enum nw_op_state { NW_OP_IDLE, NW_OP_SUBMITTED, NW_OP_POSTING, NW_OP_DONE } nw_op_state_t;

/* Place in the queue of an operation that is waited for. */
typedef struct nw_waiter {
    struct nw_waiter *next;
    nw_op_t *op; /* the one that waits */
} nw_waiter_t;

/* Most operations wait for few others; those that wait for more carry the rest in blocks from the heap. */
#define NW_OP_WAITERS 4
#define NW_MORE_WAITERS 15

typedef struct nw_more_waiters {
    struct nw_more_waiters *next;
    uint32_t n;
    nw_waiter_t waiters[NW_MORE_WAITERS];
} nw_more_waiters_t;

enum {
    NW_STEP_IN = 1,      /* copy host to device */
    NW_STEP_OUT = 2,     /* copy device to host */
    NW_STEP_POINTER = 4, /* store `value` at `device` */
    NW_STEP_IS_POINTER = 16, /* carries the count of the pointer of a pointer-and-object entry */
    NW_STEP_OWNED = 8,   /* `device` is memory of this operation alone; free it when it is over */
    NW_STEP_STAGED = 32, /* OWNED: `host` was put there, at offset `value`, when the construct was decided */
    NW_STEP_SECTION = 64, /* copies the runs of `section` only */
    NW_STEP_VOUCHES = 128, /* its mapping has the host's bytes while the operation is in flight */
};

struct nw_step {
    nw_mapping_t *mapping; /* in use until the operation is over; NULL if the step has none */
    char *host;
    char *device;
    size_t size;     /* bytes to copy, or of the owned memory */
    union {
        uintptr_t value;       /* pointer to store */
        nw_section_t *section; /* the map table's to keep, when the operation is over */
    };
    uint32_t flags;
    int32_t entry;   /* of the construct's map entries, or -1 */
};

typedef struct nw_transfer nw_transfer_t;

struct nw_op {
    nw_work_t work; /* first, so that a backend's work is the operation */
    nw_core_device_t *device;
    _Atomic uint32_t state;   /* nw_op_state_t, and WAITED while a thread sleeps on it */
    _Atomic uint32_t blockers; /* operations that must be over first, and 1 while it is being decided */
    const nw_transfer_t *transfer; /* what it does in the place of steps; NULL: steps. See core/transfer.h */
    bool needs_device;        /* it copies, stores a pointer or launches */
    bool waited_for;          /* its owner runs it itself and sleeps on `blockers` until it may */
    bool handed_over;         /* its owner waits for its end, but a thread of the device runs it */
    bool follows;             /* by a dependence, some operation that was in flight when its task was made */
    bool steps_on_heap;
    bool args_on_heap;
    nw_status_t status;       /* valid from POSTING on */
    uint32_t step_capacity;
    uint32_t arg_capacity;
    uint64_t construct;       /* its number in the device's table */
    struct nw_region *region; /* what it launches, NULL if nothing */
    nw_waiter_t *_Atomic waiters; /* who waits for this one; added to while something of this one's is held, taken
                                     while all of it is */
    nw_waiter_t *_Atomic data_waiters; /* who waits for its data only; see op.c */
    const struct nw_op *awaits_data_of; /* the last whose data it waits for, while it is being decided */
    uint32_t n_waiters;       /* of own_waiters, in use */
    nw_waiter_t own_waiters[NW_OP_WAITERS];
    nw_more_waiters_t *more_waiters;
    /* Called after DONE as the last touch, from any thread and with no lock held; NULL: none. */
    void (*completed)(nw_op_t *op);
};

/* Bytes of memory for an operation with room for n_maps map entries; see nw_op_init. */
size_t nw_op_size(uint32_t n_maps);

/* Makes an idle operation in nw_op_size(n_maps) bytes of memory, aligned to 16. */
void nw_op_init(nw_op_t *op, uint32_t n_maps);

/* Prepares an idle operation for a construct on a device. */
void nw_op_begin(nw_op_t *op, nw_core_device_t *device, const nw_ident_t *loc);

/* Appends a zeroed step; NULL when memory is out. The operation's steps may move: keep no pointer to an older one. */
nw_step_t *nw_op_add_step(nw_op_t *op);

/* Makes room for n kernel arguments. */
nw_status_t nw_op_reserve_args(nw_op_t *op, uint32_t n) NW_MUST_CHECK;

/* Makes `op`, which is being decided, wait until `other` is over. Caller holds a mapping that `other` uses. */
nw_status_t nw_op_wait_for(nw_op_t *op, nw_op_t *other) NW_MUST_CHECK;

/* As above, until the data that `other` brings is on the device, if that is known before its end. */
nw_status_t nw_op_wait_for_data(nw_op_t *op, nw_op_t *other) NW_MUST_CHECK;

/* Makes `op`, which has just removed the mapping, wait until it is the mapping's only user. Caller holds the
 * mapping and has set its ender and ender_users. */
void nw_op_wait_until_idle(nw_op_t *op, nw_mapping_t *mapping);

/* Changes the state; false if it was not `from`. */
bool nw_op_move(nw_op_t *op, nw_op_state_t from, nw_op_state_t to);

nw_op_state_t nw_op_state(const nw_op_t *op);

/* Starts a decided operation, now or when what it waits for is over. Blocks: never. */
void nw_op_submit(nw_op_t *op);

/* One thing more that must happen before the operation starts, and that this has happened: of an operation that has
 * begun and is not submitted yet. The second may start it; `waited`: there was something to wait for. Threads: any.
 * Blocks: never. */
void nw_op_block(nw_op_t *op);
void nw_op_unblock(nw_op_t *op, bool waited);

/* Runs a decided operation on the calling thread and returns when its post-processing is done. Blocks. */
nw_status_t nw_op_run(nw_op_t *op);

/* Sleeps until a submitted operation is DONE. Blocks. */
void nw_op_wait(nw_op_t *op);

#endif
