/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The runtime's own graph of dependences: which region follows which.
 *
 * Dependences order the children of one task (OpenMP 5.2, 15.9.5), so each generating task has a graph. It says for
 * every address which of the task's children wrote it last and which have read it since; who is new follows those. A
 * child is a node:
 *
 *   REGION  a target task with an operation. It is *decided*, in program order, as soon as all that it follows are,
 *           whether or not these are over: usually inside its construct. Its operation starts when they are over.
 *   CALL    a target task whose entry is called when all that it follows is over (constructs interop, taskwait nowait).
 *   HOST    a task that libomp runs and orders among its like. It follows regions through a gate (gate.h); what follows
 *           it is decided when it has run: it may map data.
 *
 * Only the thread that runs the generating task uses the graph itself; nodes end on any thread. Nodes that are over
 * leave the graph as they are met, so it does not grow with them. A node's memory stays a node's until the process
 * ends.
 */
#ifndef NW_GRAPH_H
#define NW_GRAPH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tasking/libomp.h"

typedef struct nw_graph nw_graph_t;
typedef struct nw_node nw_node_t;

/* The dependences of one construct, as compiled code passes them. */
typedef struct nw_dependence_lists {
    int32_t n;
    struct nowait_depend_info *list;
    int32_t n_noalias;
    struct nowait_depend_info *noalias; /* no address twice; NULL if there are none */
} nw_dependence_lists_t;

static inline bool nw_is_all_memory(const struct nowait_depend_info *dep)
{
    /* Both are in use (openmp/runtime/src/kmp_taskdeps.cpp). */
    return dep->base == -1 || dep->flags == NW_DEPEND_ALL_MEMORY;
}

typedef enum nw_node_kind {
    NW_NODE_REGION,
    NW_NODE_CALL,
    NW_NODE_HOST,
    NW_NODE_OPEN_HOST, /* HOST, and its end can't be seen: it is over when the generating task has waited */
    NW_NODE_GATE,      /* in no graph: what a host task waits for, */
    NW_NODE_WAIT       /* or a thread */
} nw_node_kind_t;

/* Place in the list of a node that is followed. */
typedef struct nw_edge {
    struct nw_edge *next;
    nw_node_t *to;
    bool decides; /* counts in `undecided` of the node that follows, otherwise in `pending` */
} nw_edge_t;

#define NW_NODE_EDGES 3
#define NW_MORE_EDGES 15

typedef struct nw_more_edges {
    struct nw_more_edges *next;
    uint32_t n;
    nw_edge_t edges[NW_MORE_EDGES];
} nw_more_edges_t;

struct nw_node {
    nw_graph_t *graph;       /* whose node it is */
    nw_node_t *next;         /* in a list of free nodes, or of those that a thread has still to see to */
    void *task;              /* what it stands for: a slot, libomp's task of a gate; NULL */
    _Atomic uint32_t holds;  /* the graph's, the construct's in progress, and one until it is over */
    _Atomic uint32_t pending;   /* nodes that it follows and that are not over, and one until it may start itself */
    _Atomic uint32_t undecided; /* the same for decisions */
    nw_edge_t *_Atomic at_end;      /* who follows: told when this is over; */
    nw_edge_t *_Atomic at_decision; /* told when this is decided */
    uint64_t visit;          /* the last construct that has met it */
    uint64_t trace;          /* its operation in a trace; 0: none */
    uint8_t kind;            /* nw_node_kind_t */
    uint8_t n_edges;         /* in use, of its own */
    nw_edge_t edges[NW_NODE_EDGES];
    nw_more_edges_t *more_edges;
};

/* What happens to nodes, called without locks and at most once for each node. Threads: any; `decide`: a thread of the
 * program's. A node is not over before it has been decided and started. */
typedef struct nw_graph_calls {
    void (*decide)(nw_node_t *node); /* of kind REGION: all that it follows has been decided */
    void (*start)(nw_node_t *node);  /* of all kinds but HOST and OPEN_HOST: all that it follows is over */
} nw_graph_calls_t;

/* Sets these. Threads: one, before there are nodes. */
void nw_graph_set_calls(const nw_graph_calls_t *calls);

/* The graph of the children of `task` (nw_libomp_current_task), which the calling thread runs. NULL if memory is
 * out. */
nw_graph_t *nw_graph_of(const void *task);

/* What a construct with these dependences would follow: bits. */
enum {
    NW_FOLLOWS_REGION = 1, /* a REGION or CALL that is not over */
    NW_FOLLOWS_UNDECIDED = 2, /* one of these waits for a thread of the program */
    NW_FOLLOWS_HOST = 4,
    NW_FOLLOWS_OPEN_HOST = 8
};

unsigned nw_graph_look(nw_graph_t *graph, const nw_dependence_lists_t *lists);

/* Whether a child of kind OPEN_HOST may be unfinished. */
bool nw_graph_has_open_hosts(const nw_graph_t *graph);

/* Adds a node, and the edges to all that it follows. `gate`: NULL, or a node that is to follow the regions in the
 * place of a HOST node. NULL if memory is out. Nothing happens to the node before nw_graph_entered. */
nw_node_t *nw_graph_enter(nw_graph_t *graph, nw_node_kind_t kind, const nw_dependence_lists_t *lists, nw_node_t *gate);

/* Adds edges from `node`, which is in no graph, to all regions that a construct with these dependences would follow.
 * False if memory is out. */
bool nw_graph_follow(nw_graph_t *graph, nw_node_t *node, const nw_dependence_lists_t *lists);

/* The calling thread has made the node's task: it is decided and started when nothing is in its way. It may be over
 * when this returns, and is not the caller's any more. */
void nw_graph_entered(nw_node_t *node);

/* Whether something that it follows is undecided. Threads: the one that enters it, before nw_graph_entered. */
bool nw_node_is_undecided(const nw_node_t *node);

/* Makes a node in the caller's memory, of kind GATE or WAIT, that is in no graph. */
void nw_node_begin(nw_node_t *node, nw_node_kind_t kind);

/* Its edges are there: `start` is called when all that it follows is over, which may be at once. */
void nw_node_begun(nw_node_t *node);

/* Frees what a started node has besides its memory. Nodes in a graph do so by themselves. */
void nw_node_finish(nw_node_t *node);

/* The node's task is over: starts what follows. The caller's last touch of it. Threads: any. */
void nw_node_over(nw_node_t *node);

/* The generating task has waited for all its children, if somebody has to hear of that. */
bool nw_graph_has_to_hear_of_waits(void);
void nw_graph_waited(const void *task);

/* After fork, in the child: nothing is in flight. */
void nw_graph_after_fork(void);

#endif
