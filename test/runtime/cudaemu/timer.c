/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/timer.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "cudaemu/processor.h"
#include "cudaemu/settings.h"
#include "support/time_slice.h"

/* How often words in memory are looked at that nobody tells of. */
#define POLL_NS 20000u

static stream_t **heap;
static size_t n_heap, heap_room;
static bool polling;

static bool thread_runs;
static _Atomic uint32_t woken; /* the thread sleeps on it */
/* When the thread will look next. While it spins it reads it without the lock. */
static _Atomic uint64_t looks_at = UINT64_MAX;

static void place(size_t i, stream_t *stream)
{
    heap[i] = stream;
    stream->heap_index = i;
}

static void rise(size_t i, stream_t *stream)
{
    while (i > 0 && heap[(i - 1) / 2]->due > stream->due) {
        place(i, heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    place(i, stream);
}

static void sink(size_t i, stream_t *stream)
{
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n_heap)
            break;
        if (child + 1 < n_heap && heap[child + 1]->due < heap[child]->due)
            child++;
        if (heap[child]->due >= stream->due)
            break;
        place(i, heap[child]);
        i = child;
    }
    place(i, stream);
}

static void look_no_later_than(uint64_t when);

void emu_timer_add(stream_t *stream)
{
    if (n_heap == heap_room) {
        heap_room = heap_room ? 2 * heap_room : 64;
        heap = realloc(heap, heap_room * sizeof *heap);
        if (!heap)
            emu_die("no memory");
    }
    rise(n_heap++, stream);
    look_no_later_than(stream->due);
}

void emu_timer_remove(stream_t *stream)
{
    size_t i = stream->heap_index;
    stream_t *last = heap[--n_heap];
    if (last == stream)
        return;
    if (i > 0 && heap[(i - 1) / 2]->due > last->due)
        rise(i, last);
    else
        sink(i, last);
}

stream_t *emu_timer_take(uint64_t now)
{
    if (n_heap == 0 || heap[0]->due > now)
        return NULL;
    stream_t *stream = heap[0];
    emu_timer_remove(stream);
    return stream;
}

static uint64_t next_look(uint64_t now)
{
    uint64_t next = n_heap ? heap[0]->due : UINT64_MAX;
    if (polling && next > now + POLL_NS)
        next = now + POLL_NS;
    return next;
}

/* The last stretch is spun, so that an end is as punctual as a device's; the rest is slept. */
static void wait_until(uint64_t next)
{
    uint64_t spin = emu_settings.spin_ns;
    uint64_t now = emu_now();
    if (next > now + spin) {
        emu_sleep(&woken, next == UINT64_MAX ? next : next - spin);
        now = emu_now();
    }
    while (!atomic_load_explicit(&woken, memory_order_acquire) &&
           now < atomic_load_explicit(&looks_at, memory_order_relaxed)) {
        __builtin_ia32_pause();
        now = emu_now();
    }
}

/* A GPU needs no processor: its thread sleeps as long as asked for, where Linux would add up to 50 us, and comes before
 * all others; without the right to that, at least before those that have long time slices (from Linux 6.12 on). */
static void be_prompt(void)
{
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    /* Not so the threads that it starts, for what is the host's doing. */
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &(struct sched_param){.sched_priority = 1}) == 0)
        return;
    nw_time_slice_shorten(false);
}

static void *timer_main(void *unused)
{
    be_prompt();
    emu_processor_is_device();
    prctl(PR_SET_NAME, "cudaemu-timer", 0, 0, 0);
    (void)unused;
    for (;;) {
        emu_lock();
        atomic_store_explicit(&woken, 0, memory_order_relaxed);
        if (polling)
            emu_poll_words();
        emu_catch_up(NULL);
        uint64_t next = next_look(emu_now());
        atomic_store_explicit(&looks_at, next, memory_order_relaxed);
        emu_unlock();
        wait_until(next);
    }
    return NULL;
}

static void start_thread(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, timer_main, NULL) != 0)
        emu_die("no thread for the timer");
    pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    thread_runs = true;
}

static void look_no_later_than(uint64_t when)
{
    if (!thread_runs) {
        start_thread();
        return;
    }
    uint64_t planned = atomic_load_explicit(&looks_at, memory_order_relaxed);
    if (planned <= when)
        return;
    atomic_store_explicit(&looks_at, when, memory_order_relaxed);
    /* Within its last stretch it is awake and sees the new time. */
    if (planned == UINT64_MAX || planned > emu_now() + emu_settings.spin_ns)
        emu_wake(&woken);
}

void emu_timer_poll(bool on)
{
    polling = on;
    if (on)
        look_no_later_than(emu_now() + POLL_NS);
}
