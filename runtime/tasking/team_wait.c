/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/team_wait.h"

#include "support/clock.h"
#include "support/futex.h"
#include "support/settings.h"
#include "tasking/libomp.h"

/* How long a thread sleeps before it looks for work again, in ns: at first, and at most, when it has found none. */
#define FIRST_SLEEP 250000
#define LONGEST_SLEEP 1000000
/* A call of taskyield that takes longer, in ns, has probably run a task. */
#define IDLE_YIELD 2000

struct nw_team_regions {
    _Atomic uint32_t in_flight;
    _Atomic uint32_t events; /* what the thread sleeps on */
    _Atomic uint32_t sleeps;
    /* Only the thread itself uses the rest. */
    const void *parent; /* of those in flight; */
    bool several;       /* not all of them, or not known */
    bool older;         /* some may be older than the innermost taskgroup */
};

static _Thread_local nw_team_regions_t self;

nw_team_regions_t *nw_team_region_begins(const void *parent)
{
    uint32_t before = atomic_fetch_add_explicit(&self.in_flight, 1, memory_order_relaxed);
    self.several = !parent || (before > 0 && (self.several || self.parent != parent));
    self.older = self.older && before > 0;
    self.parent = parent;
    return &self;
}

void nw_team_region_calls(nw_team_regions_t *regions)
{
    /* Sequentially consistent, as in nw_team_wait_until: either the thread sees the event, or this sees it sleep. */
    atomic_fetch_add_explicit(&regions->events, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&regions->sleeps, memory_order_seq_cst) > 0)
        nw_futex_wake(&regions->events, 1);
}

void nw_team_region_ends(nw_team_regions_t *regions)
{
    if (atomic_fetch_sub_explicit(&regions->in_flight, 1, memory_order_acq_rel) == 1)
        nw_team_region_calls(regions);
}

void nw_team_wait_until(nw_ident_t *loc, int32_t gtid, const _Atomic uint32_t *word, uint32_t value,
                        _Atomic uint32_t *events, _Atomic uint32_t *sleepers)
{
    const nw_libomp_t *omp = nw_libomp();
    int64_t now = nw_clock_ns(), deadline = now + nw_settings.spin, sleep = FIRST_SLEEP;
    uint32_t last = atomic_load_explicit(events, memory_order_acquire);
    while (atomic_load_explicit(word, memory_order_acquire) != value) {
        int64_t before = now;
        uint32_t seen = atomic_load_explicit(events, memory_order_seq_cst);
        omp->taskyield(loc, gtid, 0);
        now = nw_clock_ns();
        if (seen != last || now - before > IDLE_YIELD) {
            deadline = now + nw_settings.spin;
            sleep = FIRST_SLEEP;
        }
        last = seen;
        if (now < deadline)
            continue;
        atomic_fetch_add_explicit(sleepers, 1, memory_order_seq_cst);
        if (atomic_load_explicit(word, memory_order_acquire) != value)
            nw_futex_wait_for(events, seen, sleep);
        atomic_fetch_sub_explicit(sleepers, 1, memory_order_relaxed);
        sleep = sleep < LONGEST_SLEEP ? 2 * sleep : LONGEST_SLEEP;
        now = nw_clock_ns();
    }
}

void nw_team_wait_for_regions(nw_ident_t *loc, int32_t gtid, const void *parent)
{
    if (self.parent == parent && !self.several)
        nw_team_wait_until(loc, gtid, &self.in_flight, 0, &self.events, &self.sleeps);
}

void nw_team_taskgroup_begins(void)
{
    self.older = atomic_load_explicit(&self.in_flight, memory_order_relaxed) > 0;
}

void nw_team_wait_for_taskgroup(nw_ident_t *loc, int32_t gtid, const void *parent)
{
    if (!self.older)
        nw_team_wait_for_regions(loc, gtid, parent);
}

void nw_team_wait_after_fork(void)
{
    atomic_store_explicit(&self.in_flight, 0, memory_order_relaxed);
    atomic_store_explicit(&self.sleeps, 0, memory_order_relaxed);
}
