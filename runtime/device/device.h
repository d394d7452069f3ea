/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a backend provides, and the description of one asynchronous operation that core hands to it.
 *
 * An operation is a short in-order program: copies in, pointer stores, one kernel, copies out. Core decides everything
 * about it (what is mapped where, what it must wait for) before it submits it; a backend executes it, never blocks the
 * submitting thread, and calls `done` once, from any thread, when the last step is over.
 */
#ifndef NW_DEVICE_H
#define NW_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/ident.h"
#include "support/status.h"
#include "support/trace.h"

typedef struct nw_device nw_device_t;
typedef struct nw_image nw_image_t;   /* an image loaded on one device; the backend's */
typedef struct nw_kernel nw_kernel_t; /* a kernel of a loaded image; the backend's */
typedef struct nw_step nw_step_t;

/* A kernel's launch: the arguments and geometry that the construct asked for. */
typedef struct nw_launch {
    nw_kernel_t *kernel;
    const char *name;      /* kernel name, for messages */
    uint64_t *args;        /* n_args values of 8 bytes; the storage is the operation's */
    uint32_t n_args;
    bool implicit_argument; /* args[0] is the kernel's own first argument: the address of its launch environment */
    int32_t num_teams;     /* 0: not specified */
    int32_t thread_limit;  /* 0: not specified */
    uint64_t trip_count;   /* 0: not known */
    uint32_t dynamic_shared; /* bytes */
    bool tells_dimensions; /* the line of NW_INFO_LAUNCH has all three, as that of LLVM 22 */
} nw_launch_t;

/* One contiguous copy, as the iterators below yield it: attached pointers are already left out. */
typedef struct nw_chunk {
    char *host;
    char *device;
    size_t size; /* bytes */
} nw_chunk_t;

/* A copy between two places that the device reaches, which may overlap, or a fill. */
typedef struct nw_move {
    char *to;
    const char *from; /* NULL: fill with `byte` */
    size_t size;      /* bytes */
    int byte;
} nw_move_t;

/* The part of an operation that backends see. Core embeds it first in its own structure. */
typedef struct nw_work {
    nw_device_t *device;
    const nw_ident_t *loc;
    nw_step_t *steps; /* copies and pointer stores, in order; walk them with nw_work_next_in / nw_work_next_out */
    uint32_t n_steps;
    bool copies_in;  /* some step copies in or stores a pointer */
    bool copies_out;
    bool moves;      /* it is a copy within the device or a fill, and nothing else; only where the ops have `moves` */
    bool has_kernel;
    bool brings_data; /* others may wait for its copies in: nw_work_data_is_there when they are over */
    /* The backend's: set where it can't tell that before `done`. */
    _Atomic bool data_comes_late;
    nw_launch_t launch;
    struct nw_tool_region *tool; /* what a tool is told about; NULL: no tool. Core's */
    nw_trace_mark_t trace;
    /* Called once when every step is over or one has failed. No lock may be held. The operation may be freed by it:
     * the backend's last touch. */
    void (*done)(struct nw_work *work, nw_status_t status);
    /* When done's status is a failure: the driver's words and its function's name, or NULL. They live for ever. */
    const char *failure, *failed_call;
    /* Where the work counts while all that is left of it is in the foreign runtime's queues and its end does nothing to
     * the host's memory: then foreign tasks may follow it there. NULL: nobody asks. */
    _Atomic uint32_t *on_device;
    /* The backend's, from the first stage or submit to done; zero before. */
    struct {
        void *queue;        /* the in-order queue on which it runs */
        void *values, *last_value; /* bytes that were staged for it */
        void *buffers;      /* a block of its own for bytes on their way */
        void *waiter;       /* of a thread that waits for it */
        void *memory;       /* device memory of its own */
        size_t memory_size; /* bytes */
        uint32_t ticket;    /* its place in the queue */
        uint32_t phase;
    } state;
    struct nw_work *next;
} nw_work_t;

/*
 * Iterators over a work's copies, so that a backend knows nothing of mappings: each call yields the next contiguous
 * piece. Start with a zeroed cursor. `in`: host to device, in map order; a pointer store yields a chunk whose host side
 * is the value itself and whose size is that of a pointer. `out`: device to host, in reverse map order.
 * Threads: the thread that executes the work.
 */
typedef struct nw_cursor {
    uint32_t step;
    size_t offset;
} nw_cursor_t;

bool nw_work_next_in(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p);
bool nw_work_next_out(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p);
bool nw_work_next_move(const nw_work_t *work, nw_cursor_t *cursor, nw_move_t *move_p);

/* The same for a backend that plans: no tool is told that a copy begins or is over. */
bool nw_work_peek_in(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p);
bool nw_work_peek_out(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p);
bool nw_work_peek_move(const nw_work_t *work, nw_cursor_t *cursor, nw_move_t *move_p);

/* Bytes that the work copies in that direction, for traces. */
size_t nw_work_copied_bytes(const nw_work_t *work, bool in) __attribute__((cold));

/* Around the handing over of a work's kernel to its device, between the copies in and the copies out, for tools. The
 * iterators above tell of the copies by themselves. Threads: the thread that executes the work. */
void nw_work_tell_launch(nw_work_t *work, bool begins) __attribute__((cold));

static inline void nw_work_launch_begins(nw_work_t *work)
{
    if (__builtin_expect(work->tool != NULL, 0))
        nw_work_tell_launch(work, true);
}

static inline void nw_work_launch_ends(nw_work_t *work)
{
    if (__builtin_expect(work->tool != NULL, 0))
        nw_work_tell_launch(work, false);
}

/* Called when all of a work's copies in are over, before its kernel if possible. Others start then, so no lock may be
 * held. Again: does nothing. Threads: any. Blocks: never. */
void nw_work_tell_data(nw_work_t *work);

static inline void nw_work_data_is_there(nw_work_t *work)
{
    if (__builtin_expect(work->brings_data, 0))
        nw_work_tell_data(work);
}

/* A symbol of an image. */
typedef struct nw_symbol {
    void *address; /* device address */
    size_t size;   /* bytes; 0 if the backend can't tell */
} nw_symbol_t;

/* Kinds of memory that host and device both reach (llvm_omp_target_alloc_host, _shared). */
typedef enum nw_reachable { NW_REACHABLE_HOST, NW_REACHABLE_SHARED } nw_reachable_t;

/* What a program may know of the runtime underneath a device (OpenMP 5.2, 14: interop objects). */
typedef struct nw_foreign {
    int32_t runtime; /* OpenMP's number of a foreign runtime (omp_ifr_cuda = 1, ...); 0: there is none */
    int32_t vendor;  /* LLVM's number of the vendor (omp_vendor_nvidia = 11, ...) */
    void *platform;  /* the foreign runtime's own handles; NULL: it has none */
    void *device;
    void *context;
} nw_foreign_t;

/* Backend operations. Required unless marked optional. alloc, free and stage are called with the device's map table
 * locked: they must neither wait nor call back. probe, open, image_*, symbol and kernel are called with the loader's
 * lock held (support/loader.h); no other slot with any. */
typedef struct nw_device_ops {
    const char *kind;          /* "host", "cuda" */
    const char *compiler_flag; /* which a program needs to have code for it */
    bool memory_is_host; /* device addresses are host addresses: the host may load and store there */
    bool moves;          /* submit and execute carry out works with `moves` */
    bool runs_on_caller; /* execute runs kernels on the calling thread: they are code that uses libomp there */
    bool tells_launches; /* prints the line of NW_INFO_LAUNCH itself, with the numbers it has chosen */

    /* Returns how many devices the backend offers; 0 if its driver is missing. Called once. May block. */
    int (*probe)(void);
    /* Opens device `index` of the backend and sets device->impl and device->name. Called once a device. May block. */
    nw_status_t (*open)(nw_device_t *device, int index);
    /* Ends all activity of the backend: no work is in flight, none comes after. Called once, at exit. May block. */
    void (*close)(void);
    /* After fork, in the child, which has none of the backend's threads: goes on without them. */
    void (*after_fork)(void);

    /* Returns size bytes of device memory aligned to 64 bytes, or NULL. Must not wait for the device. */
    void *(*alloc)(nw_device_t *device, size_t size);
    void (*free)(nw_device_t *device, void *address, size_t size);

    /* After alloc has returned NULL: NW_OK if memory is out, or what has happened to the device. Optional. */
    nw_status_t (*health)(nw_device_t *device);

    /* Roughly how many bytes alloc can still give, and whether works in flight will give some back. Optional, together:
     * a device without them has memory as the host has. */
    size_t (*memory_left)(const nw_device_t *device);
    bool (*is_busy)(const nw_device_t *device);
    /* For a thread of the backend's own in which core, called by a work's `done`, waits for other works to be over:
     * looks once for what the thread is there for, which may call `done` of others. Returns false if that was nothing,
     * or the thread is none of the backend's. Goes with the two above. */
    bool (*serve)(void);

    /* Memory that the host reaches by the same address. Optional: a device without it has none. */
    void *(*alloc_reachable)(nw_device_t *device, size_t size, nw_reachable_t kind);
    void (*free_reachable)(nw_device_t *device, void *address, nw_reachable_t kind);

    /* Copies between host and device, or within the device and between two devices of the backend, and returns when
     * the copy is over. */
    nw_status_t (*copy_in)(nw_device_t *device, void *to_device, const void *from_host, size_t size);
    nw_status_t (*copy_out)(nw_device_t *device, void *to_host, const void *from_device, size_t size);
    nw_status_t (*copy_within)(nw_device_t *device, void *to_device, const void *from_device, size_t size);
    nw_status_t (*fill)(nw_device_t *device, void *address, int byte, size_t size);
    /* Reads the bytes of a firstprivate variable now; the work, which is not submitted yet, finds them at to_device.
     * Of bytes that are staged twice for a work the later hold. Must not wait for the device. */
    nw_status_t (*stage)(nw_device_t *device, nw_work_t *work, void *to_device, const void *from_host, size_t size);

    /* Says in one word-group why the image does not fit this device, or NULL if it does. The words are the calling
     * thread's until its next call. device is NULL when only the image's kind is asked for. */
    const char *(*image_refuse)(const nw_device_t *device, const void *start, size_t size);
    /* Among images that fit, the one with the highest rank is loaded. Optional: all are equal. */
    int (*image_rank)(const nw_device_t *device, const void *start, size_t size);
    nw_status_t (*image_load)(nw_device_t *device, const void *start, size_t size, nw_image_t **image_p);
    void (*image_unload)(nw_device_t *device, nw_image_t *image);
    nw_status_t (*symbol)(nw_device_t *device, nw_image_t *image, const char *name, nw_symbol_t *symbol_p);
    nw_status_t (*kernel)(nw_device_t *device, nw_image_t *image, const char *name, nw_kernel_t **kernel_p);
    /* Called once an image's variables are set up and before any kernel of it is launched: runs its constructors.
     * Optional. Blocks. */
    nw_status_t (*image_start)(nw_device_t *device, nw_image_t *image);

    /* Begins a work. Returns at once; `done` may already have been called when it returns. Never fails: a failure is
     * reported through `done`. Threads: any. Blocks: never. */
    void (*submit)(nw_device_t *device, nw_work_t *work);
    /* Executes a work for a caller that waits for it anyway, and returns its status; `done` is not called.
     * Threads: any. Blocks: until the work is over. */
    nw_status_t (*execute)(nw_device_t *device, nw_work_t *work);

    /* Interop. A queue is one of the foreign runtime's (a CUstream), to which the program adds work of its own; what is
     * in it are its foreign tasks. No slot blocks but queue_wait. Threads: any. */

    /* Fills *foreign_p. */
    void (*foreign)(nw_device_t *device, nw_foreign_t *foreign_p);
    /* Makes a queue. Owns: the caller, until queue_close, which comes when nothing is in the queue. */
    nw_status_t (*queue_open)(nw_device_t *device, void **queue_p);
    void (*queue_close)(nw_device_t *device, void *queue);
    /* Returns when all that is in the queue now is over. Blocks. */
    nw_status_t (*queue_wait)(nw_device_t *device, void *queue);
    /* Calls over(argument, status) once when all that is in the queue now is over, from any thread, with no lock of the
     * backend held and in no callback in which the foreign runtime must not be called; maybe before it returns. After a
     * failure to do so `over` will not be called. on_device: as a work's. */
    nw_status_t (*queue_notify)(nw_device_t *device, void *queue, void (*over)(void *argument, nw_status_t status),
                                void *argument, _Atomic uint32_t *on_device);
    /* Has what is added to the queue from now on come after all works that count in an `on_device` now, and after all
     * that is in other queues of the backend's. Works count only on devices that have a queue open, from then on. After
     * a failure nothing is promised. */
    nw_status_t (*queue_follow)(nw_device_t *device, void *queue);
} nw_device_ops_t;

#endif
