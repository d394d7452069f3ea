/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The trace of a run (NOWAIT_TRACE): a file that Perfetto and chrome://tracing open.
 *
 * The file is a JSON array, one event a line, in the "trace event format", whole at any moment. A thread puts its
 * events into a buffer of its own and appends that to the file when it is full: an event takes no heap memory (but
 * for the first of its place), and but for one in some hundred no lock and no system call. What is in buffers when the
 * program ends is saved, also if it ends by an error or by a signal that it does not handle; SIGKILL loses some hundred
 * events of each thread.
 *
 * Times are those of nw_clock_ns. All functions: threads: any; blocks: never, but for appending to the file. Nothing
 * is recorded while nw_trace_on() is false: before nw_trace_start, after nw_trace_end, in a child process, and when the
 * file has reached its limit (NOWAIT_TRACE_LIMIT).
 */
#ifndef NW_TRACE_H
#define NW_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/ident.h"

extern _Atomic bool nw_trace_is_on;

static inline bool nw_trace_on(void)
{
    return __builtin_expect(atomic_load_explicit(&nw_trace_is_on, memory_order_relaxed), 0);
}

/* What an operation carries. */
typedef struct nw_trace_mark {
    uint64_t op;   /* its number in the trace; 0: it is not traced */
    int64_t since; /* when it came into its present state: encountered, being dispatched, decided, ready */
} nw_trace_mark_t;

/* The kinds of events; each names its slices, or the part of the region's own track. */
typedef enum nw_trace_kind {
    NW_TRACE_CONSTRUCT, /* the program's thread, in a construct */
    NW_TRACE_DISPATCH,  /* deciding what the construct moves and waits for */
    NW_TRACE_WAIT,      /* the region waits for others */
    NW_TRACE_QUEUE,     /* it may run, but the device has not begun */
    NW_TRACE_COPY_IN,
    NW_TRACE_KERNEL,
    NW_TRACE_COPY_OUT,
    NW_TRACE_MOVE,      /* a copy within a device, or a fill */
    NW_TRACE_POST,      /* post-processing */
    NW_TRACE_RELEASE,   /* completing the task: libomp releases what depends on it */
    NW_TRACE_TASKWAIT,  /* the program's thread waits */
    NW_TRACE_N_KINDS
} nw_trace_kind_t;

/* Where a region's arrow comes from and goes to. */
typedef enum nw_trace_flow { NW_TRACE_NO_FLOW, NW_TRACE_FLOW_BEGINS, NW_TRACE_FLOW_PASSES, NW_TRACE_FLOW_ENDS }
    nw_trace_flow_t;

/* The calling thread's own track; others belong to devices. */
#define NW_TRACE_THIS_THREAD (-1)

typedef struct nw_trace_event {
    nw_trace_kind_t kind;
    nw_trace_flow_t flow;
    int64_t begin, end; /* ns */
    uint64_t op;        /* 0: of no operation */
    const nw_ident_t *loc; /* the source line, which the event is named after; may be NULL, or without location */
    const char *kernel; /* name; stands in for the source line; may be NULL */
    int device;         /* NW_TRACE_THIS_THREAD, or a device's number: its track `lane` */
    uint32_t lane;      /* 0: the calling thread's own on that device; else from 1 */
    uint64_t bytes;     /* 0: not said */
} nw_trace_event_t;

/* Opens the file that NOWAIT_TRACE names, if it does. Threads: one, once. Blocks. */
void nw_trace_start(void);

/* Ends the file; nothing is recorded from here on. May be called again, and while other threads record. Blocks: for
 * those that are in the middle of an event. */
void nw_trace_end(void);

/* After fork, in the child: the file is the parent's. */
void nw_trace_after_fork(void);

/* A new operation's number. */
uint64_t nw_trace_new_op(void);

/* Records something that took a time on a thread or a device. (These functions are not cold, unlike those that call
 * them: a compiler makes cold code short, not fast.) */
void nw_trace_slice(const nw_trace_event_t *event);

/* Records a state of a region (WAIT, QUEUE) on the region's own track. */
void nw_trace_state(const nw_trace_event_t *event);

/* The region's own track: from the construct to the end of its post-processing. */
void nw_trace_region_begins(uint64_t op, int64_t when, const nw_ident_t *loc);
void nw_trace_region_ends(uint64_t op, int64_t when, const nw_ident_t *loc);

/* Operation `next` had to wait for `op`, which is over; 0: it is not known for what. `why`: a word. */
void nw_trace_edge(uint64_t op, uint64_t next, const char *why);

#endif
