/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Gates: how a task that libomp runs comes after regions, of which libomp knows nothing.
 *
 * A gate is an empty task of libomp's that is over when all regions are that the host task follows. The host task is
 * put behind it by an address that nothing else names: one in its own memory, which libomp gives to another task only
 * when it has released all that the task was in the way of.
 */
#ifndef NW_GATE_H
#define NW_GATE_H

#include "tasking/graph.h"

/* Dependences for libomp: the construct's, and the one on the gate. */
typedef struct nw_gated {
    nw_dependence_lists_t lists;
    struct nowait_depend_info *on_heap;
    struct nowait_depend_info on_stack[16];
} nw_gated_t;

/*
 * Puts a task, which is about to be handed to libomp, behind the regions in the graph that it follows, and enters it
 * there, unless node_p is NULL, as a node of the given kind. `address`: the task, or of a wait one on its stack. *gated
 * holds what is to be handed to libomp with the task until nw_gated_free. Ends the program if memory is out. Threads:
 * the one that runs the generating task. Blocks: never.
 */
void nw_gate_before(nw_gated_t *gated, nw_graph_t *graph, nw_ident_t *loc, int32_t gtid, const void *address,
                    const nw_dependence_lists_t *lists, nw_node_kind_t kind, nw_node_t **node_p);

void nw_gated_free(nw_gated_t *gated);

/* A gate's node has started: its regions are over. Threads: any. */
void nw_gate_open(nw_node_t *node);

#endif
