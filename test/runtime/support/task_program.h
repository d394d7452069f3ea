/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Small programs of tasks and target regions, drawn by chance, and what OpenMP says of them: which of two siblings must
 * be over before the other one starts, and which must not overlap. Every generating task has cells of its own, which
 * its children read and change by their dependences, so the values that they see and leave are known, too.
 */
#ifndef NW_TEST_TASK_PROGRAM_H
#define NW_TEST_TASK_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_NODES = 16, PROGRAM_CONTEXTS = 16, PROGRAM_ADDRESSES = 3, PROGRAM_ITEMS = 3, PROGRAM_ALL_MEMORY = -1 };

typedef enum node_kind {
    NODE_REGION,   /* target nowait */
    NODE_HOST,     /* task; what follows up to `end` is its body */
    NODE_DETACHED, /* task detach(event): another thread fulfils the event at any time */
    NODE_WAIT,     /* taskwait */
    NODE_WAIT_DEPS,
    NODE_GROUP, /* taskgroup; what follows up to `end` is inside */
} node_kind_t;

/* depend(kind : address). Numbers of libomp's. */
typedef struct program_item {
    int address; /* number, or PROGRAM_ALL_MEMORY */
    uint8_t kind;
} program_item_t;

typedef struct program_node {
    node_kind_t kind;
    int end;         /* number of the first node behind it and its body */
    int context;     /* number of the task that generates it */
    int inner;       /* HOST: the context that it is itself */
    bool undeferred; /* REGION: without nowait; HOST: if(0) */
    bool plugin;     /* REGION: compiled with it */
    int device;
    int n_items;
    program_item_t items[PROGRAM_ITEMS + 1];
    int64_t
        reads[PROGRAM_ADDRESSES]; /* what it must see at each address that it names; -1: more than one value may be */
} program_node_t;

typedef struct program {
    int threads; /* of the team; 1: serial code */
    bool alone;  /* one thread of the team generates all; otherwise each has a share */
    int phases;  /* between them is a barrier */
    int n_nodes, n_contexts;
    struct {
        int begin, end;
    } shares[2][4]; /* nodes that each thread generates in each phase */
    program_node_t nodes[PROGRAM_NODES];
    int64_t cells[PROGRAM_CONTEXTS][PROGRAM_ADDRESSES]; /* at the end */
} program_t;

/* What it takes to draw a program. */
typedef struct program_limits {
    int most_nodes, most_threads;
    bool host_tasks, waits;
} program_limits_t;

void program_draw(program_t *program, uint64_t seed, const program_limits_t *limits);

/* The kind by which a node names an address; 0: it does not. Two kinds of one address are inout together. */
uint8_t program_kind_at(const program_node_t *node, int address);

/* What a node does to a cell. */
bool program_writes(uint8_t kind);
int64_t program_next(const program_t *program, int node, uint8_t kind, int64_t value);

typedef enum relation { UNORDERED, BEFORE, EXCLUDES } relation_t;

/* How two siblings stand to each other, of which the first is generated earlier. */
relation_t program_relation(const program_node_t *first, const program_node_t *second);

/* The program as text, which the next call overwrites. */
const char *program_text(const program_t *program);

/* Runs it on the runtime, the fake libomp and two fake devices, in a run of schedule.h, and ends the run as failed if
 * anything is not as OpenMP wants it. */
void program_run(const program_t *program);

#endif
