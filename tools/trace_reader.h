/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a trace (NOWAIT_TRACE) into tables. Times are in microseconds since its beginning. */
#ifndef NOWAIT_TRACE_READER_H
#define NOWAIT_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A time from begin to end. */
typedef struct interval {
    double begin, end;
} interval_t;

typedef struct interval_list {
    interval_t *items;
    size_t n, room;
} interval_list_t;

/* One region. */
typedef struct trace_op {
    uint32_t place; /* index into places; 0: not known */
    bool begun, ended;
    double begin, end;             /* of the region */
    double construct, handed_over; /* time in the construct, and its end */
    double dispatched;             /* when its dispatch began */
    double wait, queue, kernel, in, out;
    uint64_t bytes_in, bytes_out;
    size_t last_edge; /* index + 1 of the last edge that leads here; 0: none */
} trace_op_t;

typedef struct trace_edge {
    uint32_t op, next; /* op 0: not known */
    double when;
    char why[16];
} trace_edge_t;

typedef struct trace {
    char **places;
    size_t n_places;
    trace_op_t *ops; /* by number; the first is none */
    size_t n_ops;    /* places in it */
    trace_edge_t *edges;
    size_t n_edges, edges_room;
    interval_list_t taskwaits;
    interval_list_t *devices; /* when each had something to do */
    size_t n_devices;
    size_t n_events, n_damaged;
    double first, last;
    bool is_trace; /* it has the head line */
    bool complete; /* it has the closing bracket */
} trace_t;

/* Reads the file. Returns 0 or an error number. Owns: the caller; trace_free. */
int trace_read(const char *path, trace_t *trace_p);
void trace_free(trace_t *trace);

#endif
