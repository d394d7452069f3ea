/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A device for tests of core: its memory is the heap, its works run when the test says so, or on threads of its own in
 * an order at random. Counts what it is asked for.
 */
#ifndef NW_TEST_FAKE_DEVICE_H
#define NW_TEST_FAKE_DEVICE_H

#include <pthread.h>

#include "core/construct.h"
#include "core/op.h"

#define FAKE_MAX_PENDING 4096
#define FAKE_MAX_THREADS 8

/* What a kernel of this device is. */
struct nw_kernel {
    void (*body)(const nw_launch_t *launch);
    int32_t plan[12]; /* the body's, to be set between decision and submission */
};

typedef struct fake_device {
    nw_core_device_t core; /* first */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    nw_work_t *pending[FAKE_MAX_PENDING];
    size_t n_pending;
    size_t n_submitted, n_executed, n_staged; /* calls so far */
    size_t copied_in, copied_out;             /* bytes so far */
    size_t blocks_live, bytes_live;
    size_t allocations_left; /* the next one after these fails; SIZE_MAX: none does */
    uint32_t delay_us;       /* threads rest for up to this long before some works; 0: never */
    pthread_t threads[FAKE_MAX_THREADS];
    size_t n_threads;
    bool stopping;
    uint64_t random;
} fake_device_t;

/* Makes a device whose works wait until fake_finish. */
void fake_device_init(fake_device_t *fake);

/* Starts threads that run works as they come. */
void fake_device_start_threads(fake_device_t *fake, size_t n);

/* Ends the threads, checks that no work, no mapping and no device memory is left, and frees what the table keeps. */
void fake_device_destroy(fake_device_t *fake);

/* True if the operation's work is with the device. */
bool fake_is_pending(fake_device_t *fake, const nw_op_t *op);

/* Runs the work of an operation that is pending, and reports it done. */
void fake_finish(fake_device_t *fake, nw_op_t *op);

/* Does the copies in of a work that is pending, and says that its data is there; the rest is still to come. */
void fake_bring(fake_device_t *fake, nw_op_t *op);

/* Runs all pending works, in the order of submission, also those that become pending meanwhile. */
void fake_finish_all(fake_device_t *fake);

/* Number of live mappings, and of ending ones. These three hold the whole table meanwhile. */
size_t fake_count_live(fake_device_t *fake);
size_t fake_count_ending(fake_device_t *fake);

/* The live mapping of a host address, NULL if there is none. */
nw_mapping_t *fake_mapping(fake_device_t *fake, const void *host);

/* Map entries of a construct, built one by one. */
#define CONSTRUCT_MAX 64
typedef struct construct {
    int32_t n;
    void *bases[CONSTRUCT_MAX];
    void *ptrs[CONSTRUCT_MAX];
    int64_t sizes[CONSTRUCT_MAX];
    uint64_t types[CONSTRUCT_MAX];
} construct_t;

/* Adds an entry whose base is its begin. */
void construct_map(construct_t *construct, void *begin, size_t size, uint64_t type);

/* Adds an entry with a base of its own. */
void construct_add(construct_t *construct, void *base, void *begin, size_t size, uint64_t type);

/* A map type's number of the parent entry `i`. */
#define MEMBER_OF(i) ((uint64_t)((i) + 1) << 48)

/* Makes an operation in memory of its own (op_free) and decides it. waited_for: it is to be run, not submitted. */
nw_op_t *construct_decide(fake_device_t *fake, const construct_t *construct, nw_construct_kind_t kind,
                          void (*body)(const nw_launch_t *), bool waited_for);

/* Makes an operation in memory of its own (op_free), decides it, and submits it. body: of a target construct. */
nw_op_t *construct_submit(fake_device_t *fake, const construct_t *construct, nw_construct_kind_t kind,
                          void (*body)(const nw_launch_t *));

/* A construct without nowait: runs on the calling thread when what it waits for is over. */
void construct_run_now(fake_device_t *fake, const construct_t *construct, nw_construct_kind_t kind,
                       void (*body)(const nw_launch_t *));

/* One entry in one call: what `target enter data`, `exit data`, `update` and `target` with one map make. */
nw_op_t *submit_one(fake_device_t *fake, nw_construct_kind_t kind, void *begin, size_t size, uint64_t type,
                    void (*body)(const nw_launch_t *));

/* Submits, finishes everything that is pending, and checks that the operation is done. */
void run_construct(fake_device_t *fake, const construct_t *construct, nw_construct_kind_t kind,
                   void (*body)(const nw_launch_t *));
void run_one(fake_device_t *fake, nw_construct_kind_t kind, void *begin, size_t size, uint64_t type,
             void (*body)(const nw_launch_t *));

/* Frees the memory of an operation; checks that it is DONE. */
void op_free(nw_op_t *op);

/* The place that constructs of these tests name. */
extern const nw_ident_t test_place;

#endif
