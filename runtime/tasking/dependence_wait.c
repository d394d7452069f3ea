/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/dependence_wait.h"

#include <stdatomic.h>
#include <string.h>

#include "support/futex.h"
#include "support/log.h"
#include "support/settings.h"
#include "support/spin.h"
#include "tasking/launcher.h"
#include "tasking/policy.h"
#include "tasking/target_task.h"
#include "tasking/team_wait.h"

/* Most dependences of a wait that sleeps. */
#define MOST_DEPS 64

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

/* A region without anything to do: its task is one of those that devices' threads may start and end. */
static nw_kmp_task_t *new_empty_region(nw_ident_t *loc, int32_t gtid, size_t size, nowait_task_entry_t entry)
{
    return nw_target_task_alloc(&(nw_task_request_t){.loc = loc,
                                                     .gtid = gtid,
                                                     .flags = NW_KMP_TIED,
                                                     .sizeof_task = size,
                                                     .entry = entry,
                                                     .device = NW_DEFAULT_DEVICE,
                                                     .plugin = true});
}

void nw_dependence_join(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *d)
{
    if (d->n == 0 && d->n_noalias == 0)
        return;
    nw_kmp_task_t *task = new_empty_region(loc, gtid, sizeof *task, nw_libomp_empty_routine);
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

/* A copy for the probe: libomp marks in a list what it has read. A wait excludes nothing, but comes after those that
 * exclude each other. */
static void copy_list(struct nowait_depend_info *to, const nw_dependence_lists_t *d)
{
    memcpy(to, d->list, (size_t)d->n * sizeof *to);
    for (int32_t i = 0; i < d->n; i++) {
        if (to[i].flags == NW_DEPEND_MUTEXINOUTSET)
            to[i].flags = NW_DEPEND_INOUT;
    }
}

/* In a team of one, where all that has dependences ends without this thread's help. */
static void wait_for_devices(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *d)
{
    struct nowait_depend_info list[MOST_DEPS];
    _Atomic uint32_t met = 0;
    copy_list(list, d);
    probe_t *probe = (probe_t *)new_empty_region(loc, gtid, sizeof *probe, run_probe);
    probe->met = &met;
    nw_target_task_submit(loc, gtid, &probe->task, true, d->n, list, 0, NULL);
    nw_spin_t spin = {0};
    while (!atomic_load_explicit(&met, memory_order_acquire)) {
        if (!nw_spin(&spin, nw_settings.spin))
            nw_futex_wait(&met, 0);
    }
}

static void wait_in_team(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *d)
{
    const nw_libomp_t *omp = nw_libomp();
    struct nowait_depend_info list[MOST_DEPS];
    _Atomic uint32_t met = 0;
    copy_list(list, d);
    probe_t *probe = (probe_t *)omp->task_alloc(loc, gtid, NW_KMP_TIED, sizeof *probe, 0, run_probe);
    probe->met = &met;
    omp->task_with_deps(loc, gtid, &probe->task, d->n, list, 0, NULL);
    nw_team_wait_until(loc, gtid, &met, 1, &events, &sleepers);
}

void nw_dependence_wait(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *d)
{
    const nw_libomp_t *omp = nw_libomp();
    /* libomp drops tasks of a cancelled taskgroup, and would drop the probe. */
    if (nw_settings.completion == NW_COMPLETION_EVENT && d->n > 0 && d->n <= MOST_DEPS && d->n_noalias == 0 &&
        !omp->cancellation()) {
        if (omp->num_threads() > 1 && nw_launcher_has_other_tasks())
            wait_in_team(loc, gtid, d);
        else if (omp->num_threads() == 1 && nw_launcher_regions_in_flight() && nw_launcher_completes_in_place(true))
            wait_for_devices(loc, gtid, d);
    }
    /* Tools hear of the wait; otherwise nothing is left of it. */
    omp->taskwait_deps(loc, gtid, d->n, d->list, d->n_noalias, d->noalias, false);
    NW_ORDER(waited_for(d->n, d->list));
}
