/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Streams as the device sees them: commands in order, each with a modelled duration.
 *
 * A command begins when it has been issued and the one before it is over, and is over a modelled time later; begin and
 * end are reckoned, not measured, so that late threads add nothing to a chain of kernels. A timer thread (and any
 * thread that asks after a stream) carries out what is due, so commands in flight cost no thread. What really takes
 * time (a kernel that is code, a large copy, a host function) is done by other threads, and its command is over when
 * both the work and the modelled time are.
 *
 * Everything here is called with the lock held.
 */
#ifndef EMU_TIMELINE_H
#define EMU_TIMELINE_H

#include "cudaemu/emu.h"

typedef struct CUstream_st stream_t;
typedef struct CUctx_st context_t;

/* A place in a stream, that other streams and threads can wait for. */
typedef struct marker {
    uint32_t refs;
    bool done;
    uint64_t when;            /* done: at this time */
    stream_t *stream;         /* it stands in; valid while it is not done */
    stream_t *streams;        /* wait for it at their heads */
    struct sleeper *sleepers; /* threads that wait for it */
    struct marker *next_free;
} marker_t;

typedef enum command_kind {
    COMMAND_KERNEL,
    COMMAND_COPY,
    COMMAND_FILL,
    COMMAND_RECORD,     /* a marker is done */
    COMMAND_WAIT,       /* for a marker */
    COMMAND_WRITE,      /* a word to memory */
    COMMAND_WAIT_VALUE, /* for a word in memory */
    COMMAND_HOST,       /* a host function or a stream callback */
    COMMAND_FREE        /* stream-ordered */
} command_kind_t;

typedef enum copy_direction { COPY_IN, COPY_OUT, COPY_WITHIN, N_DIRECTIONS } copy_direction_t;

/* A box of bytes; a plain copy has one row. */
typedef struct copy_command {
    char *to;
    const char *from;
    char *staged; /* NULL, or what `from` points to: freed with the command */
    size_t width; /* bytes in a row */
    size_t rows, slices;
    size_t to_pitch, from_pitch; /* bytes from row to row */
    size_t to_slice, from_slice; /* bytes from slice to slice */
    copy_direction_t direction;
} copy_command_t;

typedef struct fill_command {
    char *to;
    size_t width; /* elements in a row */
    size_t rows, pitch;
    uint32_t value;
    uint8_t element; /* bytes: 1, 2 or 4 */
} fill_command_t;

typedef struct value_command {
    CUdeviceptr address;
    uint64_t value;
    uint32_t flags;
    uint8_t size; /* bytes: 4 or 8 */
} value_command_t;

typedef struct host_command {
    CUhostFn function; /* one of the two */
    CUstreamCallback callback;
    void *data;
} host_command_t;

/* Arguments up to this size lie in the command. */
#define INLINE_ARGUMENTS 192

typedef struct kernel_command {
    CUfunction function;
    unsigned int grid[3], block[3], dynamic_shared;
    size_t size;     /* bytes of arguments */
    char *arguments; /* NULL: they are in `few` */
    CUresult result; /* what its end is, by a fault */
    _Alignas(16) char few[INLINE_ARGUMENTS];
} kernel_command_t;

typedef struct command {
    struct command *next;
    command_kind_t kind;
    bool begun;
    bool executed;     /* by a thread */
    uint64_t issued;   /* ns */
    uint64_t duration; /* ns */
    union {
        copy_command_t copy;
        fill_command_t fill;
        value_command_t value;
        host_command_t host;
        kernel_command_t kernel;
        marker_t *marker;
        CUdeviceptr freed;
    };
} command_t;

/* What the stream's first command does. */
typedef enum stream_state {
    STREAM_IDLE,     /* there is none */
    STREAM_READY,    /* may be able to begin or end: is looked at before the lock is given up */
    STREAM_TIMED,    /* is over at `due` */
    STREAM_EXECUTED, /* a thread does it */
    STREAM_WAITS,    /* for a marker */
    STREAM_POLLS,    /* for a word in memory */
    STREAM_NO_ROOM   /* for room on the device */
} stream_state_t;

struct CUstream_st {
    uint64_t live; /* first: of the handle */
    context_t *context;
    unsigned int flags;
    bool legacy;
    bool destroyed; /* goes when it is idle */
    stream_state_t state;
    command_t *head, **tail;
    marker_t *last; /* the newest marker recorded; shared by those who ask for one with nothing issued since */
    bool issued_since_last;
    uint64_t ended; /* when the last command that is over was */
    uint64_t due;
    size_t heap_index;         /* while timed */
    stream_t *next_waiting;    /* in a marker's, the poll, a work queue's or the device's list */
    stream_t *next, *previous; /* of the context */
};

/* A new command; what belongs to its kind is to be set whole. */
command_t *emu_command_new(command_kind_t kind);
void emu_command_free(command_t *command);
/* Puts a command at the end of a stream and takes it over. */
void emu_issue(stream_t *stream, command_t *command);

/* Returns a marker that is done when all that has been issued to the stream is; the caller's reference. */
marker_t *emu_marker_at_end(stream_t *stream);
void emu_marker_release(marker_t *marker);
/* Lets what is issued to the stream from now on wait for the marker. */
void emu_wait_in_stream(stream_t *stream, marker_t *marker);
/* The calling thread waits. The lock is given up meanwhile. */
void emu_wait_in_thread(stream_t *stream, marker_t *marker);

/* Carries out what is due now in a stream. */
void emu_catch_up(stream_t *stream);
/* Ends all commands of a context's streams: a fault has made it unusable. */
void emu_context_break(context_t *context, CUresult result);
/* A word in memory has been written: streams may wait for it. */
void emu_poll_words(void);

/* Called by the threads of executor.c when they have done a stream's first command. */
void emu_executed(stream_t *stream);

#endif
