/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/launcher.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "support/futex.h"
#include "support/log.h"
#include "support/settings.h"
#include "support/spin.h"
#include "tasking/libomp.h"
#include "tasking/pin.h"

/* Where a thread's end comes from is not known. */
static nw_ident_t at_the_end = {.flags = 2, .psource = ";unknown;unknown;0;0;;"};

/* Set in a thread's count of free running regions while it sleeps on it. */
#define ASLEEP 0x80000000u

struct nw_launcher {
    _Atomic uint32_t free_running; /* and ASLEEP */
    _Atomic uint32_t on_device;    /* of these, the ones of which a device has all that is left */
    /* Only the thread itself uses the rest. */
    const void *parent;     /* the task that has made its free running regions; */
    bool several_parents;   /* not all of them, or not known */
    int8_t initial_thread;  /* 0: not known yet */
    uint32_t others;        /* tasks of other kinds that it has made since it last waited */
    uint32_t launches;
    _Atomic uint32_t pins; /* in a team of one: released by this thread */
    nw_kmp_task_t *keeper; /* ends with the last of them; see run_all */
};

static _Thread_local nw_launcher_t self;

static _Atomic bool host_tasks_seen;

nw_launcher_t *nw_launcher_region_begins(const void *parent)
{
    uint32_t before = atomic_fetch_add_explicit(&self.free_running, 1, memory_order_relaxed);
    self.several_parents = !parent || (before > 0 && (self.several_parents || self.parent != parent));
    self.parent = parent;
    return &self;
}

void nw_launcher_region_ends(nw_launcher_t *launcher)
{
    _Atomic uint32_t *word = &launcher->free_running;
    /* Release pairs with the acquire in wait. The thread may end as soon as it sees that: its launcher is not touched
     * again. */
    if (atomic_fetch_sub_explicit(word, 1, memory_order_release) == (ASLEEP | 1))
        nw_futex_wake(word, 1);
}

/* Sleeps until the thread has no free running region in flight. */
static void wait(void)
{
    nw_spin_t spin = {0};
    uint32_t word;
    while ((word = atomic_load_explicit(&self.free_running, memory_order_acquire)) != 0) {
        if (nw_spin(&spin, nw_settings.spin))
            continue;
        word = atomic_fetch_or_explicit(&self.free_running, ASLEEP, memory_order_acquire) | ASLEEP;
        if (word != ASLEEP)
            nw_futex_wait(&self.free_running, word);
        atomic_fetch_and_explicit(&self.free_running, ~ASLEEP, memory_order_acquire);
    }
}

bool nw_launcher_completes_in_place(void)
{
    if (NW_UNLIKELY(self.initial_thread == 0))
        self.initial_thread = syscall(SYS_gettid) == getpid() ? 1 : -1;
    return self.initial_thread > 0 && nw_libomp()->num_threads() == 1;
}

void nw_launcher_note_other_task(void)
{
    self.others++;
}

void nw_launcher_note_host_task(void)
{
    self.others++;
    if (!atomic_load_explicit(&host_tasks_seen, memory_order_relaxed))
        atomic_store_explicit(&host_tasks_seen, true, memory_order_relaxed);
}

void nw_launcher_note_target_task(void)
{
    self.launches++;
}

int32_t nw_launcher_host_flags(int32_t flags)
{
    /* The program's own detached tasks complete while others are made and end, too. */
    if (flags & NW_KMP_DETACHABLE)
        nw_launcher_note_target_task();
    const nw_libomp_t *omp = nw_libomp();
    bool regions = self.launches > 0 || (omp->in_explicit_task && omp->in_explicit_task());
    bool counted = !regions || (flags & NW_KMP_DESTRUCTORS) || omp->num_threads() > 1;
    return counted ? flags : flags | NW_KMP_DETACHABLE;
}

_Atomic uint32_t *nw_launcher_on_device(nw_launcher_t *launcher)
{
    return launcher ? &launcher->on_device : NULL;
}

_Atomic uint32_t *nw_launcher_all_on_device(void)
{
    if (nw_settings.completion != NW_COMPLETION_EVENT || self.others > 0 || !nw_launcher_completes_in_place())
        return NULL;
    /* In this order: regions end meanwhile, or reach their devices, but none begins. */
    uint32_t all = atomic_load_explicit(&self.free_running, memory_order_acquire);
    return atomic_load_explicit(&self.on_device, memory_order_acquire) == all ? &self.on_device : NULL;
}

/* The thread's number, as libomp knows it now. */
static int32_t own_gtid(void)
{
    return nw_libomp()->global_thread_num(&at_the_end);
}

static void end_keeper(void)
{
    nw_kmp_task_t *keeper = self.keeper;
    self.keeper = NULL;
    nw_libomp()->proxy_task_completed_in_place(own_gtid(), keeper);
}

_Atomic uint32_t *nw_launcher_pin_begins(void)
{
    atomic_fetch_add_explicit(&self.pins, 1, memory_order_relaxed);
    return &self.pins;
}

void nw_launcher_pin_ends(_Atomic uint32_t *count)
{
    bool last = atomic_fetch_sub_explicit(count, 1, memory_order_relaxed) == 1;
    if (NW_UNLIKELY(self.keeper != NULL) && last && count == &self.pins)
        end_keeper();
}

/* Whether all free running regions of the thread are this task's. */
static bool are_all_of(const void *parent)
{
    return self.parent == parent && !self.several_parents;
}

void nw_launcher_before_wait(const void *parent)
{
    bool only_these = self.others == 0 && are_all_of(parent);
    self.others = 0;
    if (!only_these)
        return;
    bool idle = !atomic_load_explicit(&host_tasks_seen, memory_order_relaxed) || nw_libomp()->num_threads() == 1;
    if (idle)
        wait();
}

/*
 * Runs what libomp has queued for this thread, until its pins are gone. In a team of one libomp does that only in a
 * taskwait, and there only as long as the current task has children: it is given one, since the regions of a task that
 * is over itself are nobody's children that could be waited for.
 */
static void run_all(int32_t gtid)
{
    const nw_libomp_t *omp = nw_libomp();
    if (atomic_load_explicit(&self.pins, memory_order_relaxed) > 0) {
        self.keeper =
            omp->task_alloc(&at_the_end, gtid, NW_KMP_PROXY, sizeof *self.keeper, 0, nw_libomp_empty_routine);
        omp->task(&at_the_end, gtid, self.keeper);
    }
    omp->taskwait(&at_the_end, gtid);
}

void nw_launcher_finish(bool helps)
{
    wait();
    if (!helps)
        return;
    int32_t gtid = own_gtid();
    do {
        run_all(gtid);
        /* What has been released meanwhile may have launched regions. */
        wait();
    } while (atomic_load_explicit(&self.pins, memory_order_relaxed) > 0);
}

void nw_launcher_after_fork(void)
{
    atomic_store_explicit(&self.free_running, 0, memory_order_relaxed);
    atomic_store_explicit(&self.on_device, 0, memory_order_relaxed);
    self.several_parents = false;
    self.others = 0;
}
