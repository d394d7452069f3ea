/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/gate.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "support/log.h"
#include "tasking/completion.h"
#include "tasking/libomp_order.h"

enum {
    WAITS,
    HAS_RUN, /* libomp has run it, or is about to: it is detached */
    OPENS,   /* its regions are over, and it has not run: somebody is fulfilling its event, */
    OPEN     /* and has */
};

/* A detached task, in libomp's memory. libomp runs it at once, or later if an unfinished host task names all memory. */
typedef struct gate {
    nw_kmp_task_t task;
    nw_node_t node;
    void *event;
    _Atomic uint32_t state;
    int32_t runner; /* the thread that has run it, */
    const void *runner_task; /* as nw_completion_wait_until_left wants it */
} gate_t;

static int32_t run(int32_t gtid, void *task)
{
    gate_t *gate = task;
    uint32_t state = WAITS;
    gate->runner = gtid;
    gate->runner_task = nw_libomp_current_task(gtid);
    bool detaches = atomic_compare_exchange_strong_explicit(&gate->state, &state, HAS_RUN, memory_order_acq_rel,
                                                            memory_order_acquire);
    /* Otherwise it must end like any task: detached, it could be gone while libomp still looks at it. */
    while (!detaches && atomic_load_explicit(&gate->state, memory_order_acquire) != OPEN)
        sched_yield();
    NW_ORDER(freed(task));
    return 0;
}

static gate_t *make_gate(nw_ident_t *loc, int32_t gtid, intptr_t address)
{
    const nw_libomp_t *omp = nw_libomp();
    /* Not tied: what libomp queues when a tied task's event is fulfilled hides other tasks from a nested one's
     * waits. */
    gate_t *gate = (gate_t *)omp->task_alloc(loc, gtid, NW_KMP_DETACHABLE, sizeof *gate, 0, run);
    NW_ORDER(reused(gate));
    nw_node_begin(&gate->node, NW_NODE_GATE);
    gate->node.task = gate;
    atomic_store_explicit(&gate->state, WAITS, memory_order_relaxed);
    gate->event = omp->task_allow_completion_event(loc, gtid, &gate->task);
    struct nowait_depend_info link = {.base = address, .length = 1, .flags = NW_DEPEND_INOUT};
    omp->task_with_deps(loc, gtid, &gate->task, 1, &link, 0, NULL);
    return gate;
}

NW_IN_RECYCLED_TASK void nw_gate_open(nw_node_t *node)
{
    gate_t *gate = node->task;
    uint32_t state = WAITS;
    nw_node_finish(node);
    NW_ORDER(freed(gate));
    if (atomic_compare_exchange_strong_explicit(&gate->state, &state, OPENS, memory_order_acq_rel,
                                                memory_order_acquire)) {
        nw_libomp()->fulfill_event(gate->event);
        atomic_store_explicit(&gate->state, OPEN, memory_order_release);
    } else {
        nw_completion_wait_until_left(gate->runner, gate->runner_task);
        nw_libomp()->fulfill_event(gate->event);
    }
}

/* Copies the list, with room for one more. */
static void copy_list(nw_gated_t *gated, const nw_ident_t *loc, const nw_dependence_lists_t *lists)
{
    size_t n = (size_t)lists->n + 1;
    struct nowait_depend_info *list = gated->on_stack;
    if (n > sizeof gated->on_stack / sizeof gated->on_stack[0]) {
        list = gated->on_heap = malloc(n * sizeof *list);
        if (!list)
            nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    }
    if (lists->n > 0)
        memcpy(list, lists->list, (size_t)lists->n * sizeof *list);
    gated->lists.list = list;
}

void nw_gate_before(nw_gated_t *gated, nw_graph_t *graph, nw_ident_t *loc, int32_t gtid, const void *address,
                    const nw_dependence_lists_t *lists, nw_node_kind_t kind, nw_node_t **node_p)
{
    gated->lists = *lists;
    gated->on_heap = NULL;
    gate_t *gate = NULL;
    if (nw_graph_look(graph, lists) & NW_FOLLOWS_REGION) {
        copy_list(gated, loc, lists);
        struct nowait_depend_info link = {.base = (intptr_t)address, .length = 1, .flags = NW_DEPEND_IN};
        gate = make_gate(loc, gtid, link.base);
        gated->lists.list[gated->lists.n++] = link;
    }
    bool done = true;
    if (node_p)
        done = (*node_p = nw_graph_enter(graph, kind, lists, gate ? &gate->node : NULL)) != NULL;
    else if (gate)
        done = nw_graph_follow(graph, &gate->node, lists);
    if (!done)
        nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    if (gate)
        nw_node_begun(&gate->node);
}

void nw_gated_free(nw_gated_t *gated)
{
    free(gated->on_heap);
}
