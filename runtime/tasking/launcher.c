/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/launcher.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "support/futex.h"
#include "support/log.h"
#include "support/settings.h"
#include "support/spin.h"
#include "tasking/libomp.h"

/* Set in a thread's count of free running regions while it sleeps on it. */
#define ASLEEP 0x80000000u

static _Thread_local struct {
    nw_free_running_t free_running; /* and ASLEEP */
    uint32_t others;                /* tasks of other kinds that it has made since it last waited */
    uint32_t launches;
    _Atomic uint32_t pins;          /* in a team of one: released by this thread */
    bool host_dependences;          /* it has made host tasks with dependences */
    int8_t initial_thread;          /* 0: not known yet */
} self __attribute__((tls_model("initial-exec")));

static _Atomic bool host_tasks_seen;

nw_free_running_t *nw_launcher_region_begins(void)
{
    atomic_fetch_add_explicit(&self.free_running, 1, memory_order_relaxed);
    return &self.free_running;
}

void nw_launcher_region_ends(nw_free_running_t *count)
{
    /* Release pairs with the acquire in wait. The thread may end as soon as it sees that: its word is not touched
     * again. */
    if (atomic_fetch_sub_explicit(count, 1, memory_order_release) == (ASLEEP | 1))
        nw_futex_wake(count, 1);
}

bool nw_launcher_completes_in_place(bool has_deps)
{
    if (NW_UNLIKELY(self.initial_thread == 0))
        self.initial_thread = syscall(SYS_gettid) == getpid() ? 1 : -1;
    if (self.initial_thread < 0 || nw_libomp()->num_threads() > 1)
        return false;
    return !has_deps || (!self.host_dependences && atomic_load_explicit(&self.pins, memory_order_relaxed) == 0);
}

void nw_launcher_note_other_task(void)
{
    self.others++;
}

bool nw_launcher_has_other_tasks(void)
{
    return self.others > 0;
}

bool nw_launcher_regions_in_flight(void)
{
    return atomic_load_explicit(&self.free_running, memory_order_acquire) != 0;
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
    bool counted = self.launches == 0 || (flags & NW_KMP_DESTRUCTORS) || nw_libomp()->num_threads() > 1;
    return counted ? flags : flags | NW_KMP_DETACHABLE;
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

void nw_launcher_before_dependences(bool for_good)
{
    if (NW_LIKELY(self.host_dependences) || nw_libomp()->num_threads() > 1)
        return;
    self.host_dependences = for_good;
    wait();
}

_Atomic uint32_t *nw_launcher_pin_begins(void)
{
    atomic_fetch_add_explicit(&self.pins, 1, memory_order_relaxed);
    return &self.pins;
}

void nw_launcher_pin_ends(_Atomic uint32_t *count)
{
    atomic_fetch_sub_explicit(count, 1, memory_order_relaxed);
}

void nw_launcher_before_wait(void)
{
    bool alone = self.others == 0;
    self.others = 0;
    if (!alone || (atomic_load_explicit(&host_tasks_seen, memory_order_relaxed) && nw_libomp()->num_threads() > 1))
        return;
    wait();
}

void nw_launcher_after_fork(void)
{
    atomic_store_explicit(&self.free_running, 0, memory_order_relaxed);
    atomic_store_explicit(&self.pins, 0, memory_order_relaxed);
    self.others = 0;
}
