/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/dependence_wait.h"

#include <stdatomic.h>

#include "core/tool.h"
#include "support/futex.h"
#include "support/log.h"
#include "support/settings.h"
#include "support/spin.h"
#include "tasking/gate.h"
#include "tasking/launcher.h"
#include "tasking/policy.h"
#include "tasking/target_task.h"
#include "tasking/task_form.h"
#include "tasking/team_wait.h"

/* Threads that sleep in teams of several, and what they sleep on. */
static _Alignas(64) _Atomic uint32_t sleepers;
static _Atomic uint32_t events;

/* An empty task whose run says that its dependences are met. */
typedef struct probe {
    nw_kmp_task_t task;
    _Atomic uint32_t *met; /* of the thread that waits, which stays until this is set; its memory may go at once then */
} probe_t;

static int32_t run_probe(int32_t gtid, void *task)
{
    (void)gtid;
    _Atomic uint32_t *met = ((probe_t *)task)->met;
    atomic_store_explicit(met, 1, memory_order_release);
    nw_futex_wake(met, 1);
    nw_dependence_wait_event();
    return 0;
}

void nw_dependence_join(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *d)
{
    if (d->n == 0 && d->n_noalias == 0)
        return;
    nw_kmp_task_t *task = nw_target_task_alloc(&(nw_task_request_t){.loc = loc,
                                                                    .gtid = gtid,
                                                                    .flags = NW_KMP_TIED,
                                                                    .sizeof_task = sizeof *task,
                                                                    .entry = nw_libomp_empty_routine,
                                                                    .calls = true,
                                                                    .device = NW_DEFAULT_DEVICE,
                                                                    .plugin = true});
    nw_target_task_submit(loc, gtid, task, true, d->n, d->list, d->n_noalias, d->noalias);
}

void nw_dependence_wait_event(void)
{
    /* A sleeper that comes between the end of the region and this look sleeps its short time. */
    if (NW_LIKELY(atomic_load_explicit(&sleepers, memory_order_relaxed) == 0))
        return;
    atomic_fetch_add_explicit(&events, 1, memory_order_release);
    nw_futex_wake(&events, INT_MAX);
}

/* A thread that waits for regions. */
typedef struct waiter {
    nw_node_t node;
    _Atomic uint32_t met; /* it sleeps on this */
} waiter_t;

void nw_dependence_met(nw_node_t *node)
{
    _Atomic uint32_t *met = &((waiter_t *)node)->met;
    /* The waiter's memory may go at once. */
    atomic_store_explicit(met, 1, memory_order_release);
    nw_futex_wake(met, 1);
}

static void wait_for_regions(nw_graph_t *graph, const nw_ident_t *loc, const nw_dependence_lists_t *d)
{
    waiter_t waiter = {.met = 0};
    nw_node_begin(&waiter.node, NW_NODE_WAIT);
    if (!nw_graph_follow(graph, &waiter.node, d))
        nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    nw_node_begun(&waiter.node);
    nw_spin_t spin = {0};
    while (!atomic_load_explicit(&waiter.met, memory_order_acquire)) {
        if (!nw_spin(&spin, nw_settings.spin))
            nw_futex_wait(&waiter.met, 0);
    }
    nw_node_finish(&waiter.node);
}

/* A wait excludes nothing, but comes after those that exclude each other. */
static void exclude_nothing(nw_dependence_lists_t *d)
{
    for (int32_t i = 0; i < d->n; i++) {
        if (d->list[i].flags == NW_DEPEND_MUTEXINOUTSET)
            d->list[i].flags = NW_DEPEND_INOUT;
    }
}

/* In a team of one only libomp's own wait runs tasks. */
static void wait_alone_with_tasks(nw_graph_t *graph, nw_ident_t *loc, int32_t gtid, nw_dependence_lists_t *d)
{
    nw_gated_t gated;
    nw_gate_before(&gated, graph, loc, gtid, d, d, NW_NODE_HOST, NULL);
    nw_libomp()->taskwait_deps(loc, gtid, gated.lists.n, gated.lists.list, d->n_noalias, d->noalias, false);
    nw_gated_free(&gated);
}

/* Waits for libomp's tasks, and regions. */
static void wait_with_tasks(nw_graph_t *graph, nw_ident_t *loc, int32_t gtid, nw_dependence_lists_t *d)
{
    const nw_libomp_t *omp = nw_libomp();
    _Atomic uint32_t met = 0;
    nw_gated_t gated;
    exclude_nothing(d);
    probe_t *probe = (probe_t *)omp->task_alloc(loc, gtid, NW_KMP_TIED, sizeof *probe, 0, run_probe);
    probe->met = &met;
    nw_gate_before(&gated, graph, loc, gtid, &probe->task, d, NW_NODE_HOST, NULL);
    omp->task_with_deps(loc, gtid, &probe->task, gated.lists.n, gated.lists.list, d->n_noalias, d->noalias);
    nw_gated_free(&gated);
    nw_team_wait_until(loc, gtid, &met, 1, &events, &sleepers);
}

void nw_dependence_wait(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *d)
{
    nw_dependence_lists_t lists = *d;
    if (!nw_task_graph_is_used()) {
        nw_libomp()->taskwait_deps(loc, gtid, d->n, d->list, d->n_noalias, d->noalias, false);
        return;
    }
    nw_graph_t *graph = nw_task_graph(loc, gtid);
    unsigned followed = nw_graph_look(graph, d);
    bool with_tasks = followed & (NW_FOLLOWS_UNDECIDED | NW_FOLLOWS_HOST | NW_FOLLOWS_OPEN_HOST);
    if (with_tasks && nw_libomp()->num_threads() == 1)
        wait_alone_with_tasks(graph, loc, gtid, &lists);
    else if (with_tasks)
        wait_with_tasks(graph, loc, gtid, &lists);
    else if (followed)
        wait_for_regions(graph, loc, d);
    /* Tools hear of the wait; otherwise nothing is left of it. */
    if (NW_UNLIKELY(nw_tool_attached()))
        nw_libomp()->taskwait_deps(loc, gtid, d->n, d->list, d->n_noalias, d->noalias, false);
    NW_ORDER(waited_for(d->n, d->list));
}
