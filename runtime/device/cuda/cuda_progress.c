/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_progress.h"

#include "device/cuda/cuda_forecast.h"
#include "device/cuda/cuda_stream.h"
#include "device/cuda/cuda_thread.h"
#include "device/cuda/cuda_trace.h"
#include "device/cuda/cuda_waiter.h"
#include "device/cuda/cuda_work.h"
#include "device/device_thread.h"
#include "device/work_list.h"
#include "support/clock.h"
#include "support/futex.h"
#include "support/log.h"
#include "support/settings.h"
#include "support/spin.h"

/* How long it sleeps at most while something is in flight: a failed stream calls nobody back. An eighth of the time for
 * which nothing has finished, within these. */
#define SHORTEST_CHECK_NS 10000000
#define LONGEST_CHECK_NS 100000000
/* How long a thread that has seen a failure waits for the work that has caused it to be found. */
#define BLAME_NS 200000000
/* Without call backs it looks again after a sixteenth of the time for which nothing has finished, within these. */
#define SHORTEST_NAP_NS 50000
#define LONGEST_NAP_NS 2000000
/* For so long it relies on a forecast alone. A call back would be one more thread to run just when a work ends. */
#define BLIND_NS 2000000

static struct {
    _Atomic(nw_work_t *) incoming; /* works that have gone into streams, last first */
    _Atomic uint32_t asleep;       /* it sleeps on this */
    _Atomic uint32_t nudged;
    _Atomic bool suspicious; /* a failure has been seen that may be another work's */
    _Atomic bool stopping;
    nw_cuda_thread_t thread;
    /* Works without room, oldest first. */
    pthread_mutex_t parked_lock;
    nw_work_list_t parked;
    _Atomic uint32_t n_parked;
    /* The thread's own. */
    nw_cuda_stream_t *busy;
    nw_work_list_t passed; /* out of their streams, and not finished: the ticket is the result */
    int64_t last_finish, last_check;
    int64_t now; /* when it looked last; 0: it has not asked yet */
    bool slept;  /* it has not looked since */
} progress = {.parked_lock = PTHREAD_MUTEX_INITIALIZER};

static void wake_up(void *unused)
{
    (void)unused;
    if (atomic_exchange_explicit(&progress.asleep, 0, memory_order_acq_rel))
        nw_futex_wake(&progress.asleep, 1);
}

/* Sequentially consistent with the fence in fall_asleep: either the thread sees what was changed before, or this sees
 * that it sleeps. */
static void wake_if_asleep(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (NW_UNLIKELY(atomic_load_explicit(&progress.asleep, memory_order_relaxed)))
        wake_up(NULL);
}

void nw_cuda_progress_watch(nw_work_t *work)
{
    nw_work_t *first = atomic_load_explicit(&progress.incoming, memory_order_relaxed);
    do
        work->next = first;
    while (!atomic_compare_exchange_weak_explicit(&progress.incoming, &first, work, memory_order_release,
                                                  memory_order_relaxed));
    wake_if_asleep();
}

void nw_cuda_progress_park(nw_work_t *work)
{
    pthread_mutex_lock(&progress.parked_lock);
    nw_work_list_add(&progress.parked, work);
    atomic_fetch_add_explicit(&progress.n_parked, 1, memory_order_relaxed);
    pthread_mutex_unlock(&progress.parked_lock);
    nw_cuda_progress_nudge();
}

bool nw_cuda_progress_has_parked(void)
{
    return atomic_load_explicit(&progress.n_parked, memory_order_relaxed) > 0;
}

void nw_cuda_progress_nudge(void)
{
    atomic_store_explicit(&progress.nudged, 1, memory_order_relaxed);
    wake_if_asleep();
}

/* Either this sees that works are parked, or the thread, when it tries them, sees the room. */
void nw_cuda_progress_room(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (nw_cuda_progress_has_parked())
        nw_cuda_progress_nudge();
}

void nw_cuda_progress_blame(void)
{
    if (nw_device_thread_is_current() || nw_is_dying())
        return;
    atomic_store_explicit(&progress.suspicious, true, memory_order_relaxed);
    nw_cuda_progress_nudge();
    nanosleep(&(struct timespec){.tv_nsec = BLAME_NS}, NULL);
}

static nw_work_t *take_parked(void)
{
    pthread_mutex_lock(&progress.parked_lock);
    nw_work_t *work = nw_work_list_take(&progress.parked);
    pthread_mutex_unlock(&progress.parked_lock);
    return work;
}

static void put_parked_back(nw_work_t *work)
{
    pthread_mutex_lock(&progress.parked_lock);
    nw_work_list_put_back(&progress.parked, work);
    pthread_mutex_unlock(&progress.parked_lock);
}

/* Starts parked works until one finds no room. The one that is tried counts as parked. */
static void start_parked(void)
{
    nw_work_t *work;
    while (atomic_load_explicit(&progress.n_parked, memory_order_relaxed) > 0 && (work = take_parked())) {
        /* See nw_cuda_progress_room. */
        atomic_thread_fence(memory_order_seq_cst);
        nw_status_t status = nw_cuda_work_start(work);
        if (status == NW_IN_PROGRESS) {
            put_parked_back(work);
            return;
        }
        atomic_fetch_sub_explicit(&progress.n_parked, 1, memory_order_relaxed);
        if (status != NW_OK)
            nw_cuda_work_end(work, status);
    }
}

/* The time of this look, which costs about as much as the look itself: asked for only when something has happened. */
static int64_t time_of_look(void)
{
    if (progress.now == 0)
        progress.now = nw_clock_ns();
    return progress.now;
}

/* Puts a work among those in its stream, by its ticket: one that its own thread has looked for comes late. */
static void add_to_stream(nw_work_t *work)
{
    nw_cuda_stream_t *stream = work->state.queue;
    nw_work_t **link = &stream->first, *last = stream->last;
    if (!*link) {
        stream->next_busy = progress.busy;
        progress.busy = stream;
    } else if ((int32_t)(work->state.ticket - last->state.ticket) > 0) {
        link = &last->next;
    }
    while (*link && (int32_t)(work->state.ticket - (*link)->state.ticket) > 0)
        link = &(*link)->next;
    work->next = *link;
    *link = work;
    if (!work->next)
        stream->last = work;
    if (stream->first == work) {
        int64_t since = nw_cuda_waiter_since(work, time_of_look());
        nw_cuda_forecast_begins(stream, since, since != 0);
    }
}

/* Sorts new works into their streams' lists; false if there are none. */
static bool take_incoming(void)
{
    if (!atomic_load_explicit(&progress.incoming, memory_order_relaxed))
        return false;
    nw_work_t *list = atomic_exchange_explicit(&progress.incoming, NULL, memory_order_acquire), *ordered = NULL;
    while (list) {
        nw_work_t *next = list->next;
        list->next = ordered;
        ordered = list;
        list = next;
    }
    while (ordered) {
        nw_work_t *next = ordered->next;
        add_to_stream(ordered);
        ordered = next;
    }
    return true;
}

/* Takes the stream's oldest work, which has passed, out of it. */
static void take_first(nw_cuda_stream_t *stream, CUresult result)
{
    nw_work_t *work = stream->first;
    stream->first = work->next;
    /* Before its ticket is overwritten, and its place in the stream given to another work. */
    if (NW_UNLIKELY(work->trace.op) && result == CUDA_SUCCESS && !(work->state.phase & NW_CUDA_AGAIN))
        nw_cuda_trace_passed(work);
    work->state.ticket = (uint32_t)result;
    nw_work_list_add(&progress.passed, work);
}

/* Finishes what has been taken out of its stream; false if there is nothing. What a work's end sets off may come back
 * to here (nw_cuda_progress_serve), so nothing is held on to meanwhile. */
static bool finish_passed(void)
{
    nw_work_t *work;
    bool any = false;
    for (; (work = nw_work_list_take(&progress.passed)); any = true)
        nw_cuda_work_passed(work, (CUresult)work->state.ticket);
    return any;
}

/* Finishes what has passed in all busy streams; true if anything has. */
static bool look_at_streams(void)
{
    for (nw_cuda_stream_t **link = &progress.busy, *stream; (stream = *link);) {
        CUresult result = CUDA_ERROR_NOT_READY;
        unsigned n = 0;
        for (; stream->first &&
               (result = nw_cuda_stream_look(stream, stream->first->state.ticket)) != CUDA_ERROR_NOT_READY;
             n++) {
            if (n == 0)
                nw_cuda_forecast_over(stream, time_of_look(), progress.slept);
            take_first(stream, result);
        }
        if (stream->first && n > 0)
            nw_cuda_forecast_begins(stream, time_of_look(), n == 1 && !progress.slept);
        if (stream->first)
            link = &stream->next_busy;
        else
            *link = stream->next_busy;
    }
    progress.slept = false;
    return finish_passed();
}

/* Asks the driver about each busy stream: a stream that has failed never writes its word. */
static void check_for_failures(void)
{
    for (nw_cuda_stream_t **link = &progress.busy, *stream; (stream = *link);) {
        CUresult result = nw_cuda_enter(stream->gpu);
        if (result == CUDA_SUCCESS)
            result = nw_cuda.cuStreamQuery(stream->handle);
        if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) {
            take_first(stream, result);
            nw_cuda_forecast_begins(stream, 0, false);
        }
        if (stream->first)
            link = &stream->next_busy;
        else
            *link = stream->next_busy;
    }
    (void)finish_passed();
}

/* Looks once; false if nothing has happened. */
static bool step(void)
{
    progress.now = 0;
    bool came = take_incoming();
    bool finished = look_at_streams();
    bool nudged = atomic_load_explicit(&progress.nudged, memory_order_relaxed) &&
                  atomic_exchange_explicit(&progress.nudged, 0, memory_order_acquire);
    if (finished || nudged)
        start_parked();
    return came || finished || nudged;
}

static int64_t clamp(int64_t ns, int64_t least, int64_t most)
{
    return ns < least ? least : ns > most ? most : ns;
}

/* How long after a look for failures the next one is due. */
static int64_t check_interval(int64_t now)
{
    return clamp((now - progress.last_finish) / 8, SHORTEST_CHECK_NS, LONGEST_CHECK_NS);
}

/* Has the driver call back when the works in flight are over. Returns how long to sleep, or 0 for ever. */
static int64_t arm(int64_t now)
{
    bool callbacks = nw_cuda.cuLaunchHostFunc && nw_settings.cuda_completion != NW_CUDA_COMPLETION_POLL;
    bool all_armed = callbacks;
    for (nw_cuda_stream_t *stream = progress.busy; callbacks && stream; stream = stream->next_busy) {
        uint32_t last = stream->last->state.ticket;
        if (stream->armed != last && (nw_cuda_enter(stream->gpu) != CUDA_SUCCESS ||
                                      nw_cuda.cuLaunchHostFunc(stream->handle, wake_up, NULL) != CUDA_SUCCESS))
            all_armed = false;
        else
            stream->armed = last;
        /* The call back comes after the last work only. */
        all_armed &= stream->first == stream->last;
    }
    bool parked = nw_cuda_progress_has_parked();
    if (!progress.busy || all_armed)
        return parked ? SHORTEST_CHECK_NS : progress.busy ? check_interval(now) : 0;
    return clamp((now - progress.last_finish) / 16, SHORTEST_NAP_NS, LONGEST_NAP_NS);
}

/* Sleeps until woken; at most until `until`, unless that is NW_CUDA_FORECAST_NONE. is_sure: then the next work will be
 * over. Returns whether it has slept until then. */
static bool fall_asleep(int64_t now, int64_t until, bool is_sure)
{
    atomic_store_explicit(&progress.asleep, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    int64_t ns = 0;
    bool stay = atomic_load_explicit(&progress.incoming, memory_order_relaxed) ||
                atomic_load_explicit(&progress.nudged, memory_order_relaxed) ||
                atomic_load_explicit(&progress.stopping, memory_order_relaxed);
    if (!stay) {
        if (!is_sure || until - now >= BLIND_NS)
            ns = arm(now);
        /* What finished before the call back was asked for. */
        progress.now = 0;
        stay = look_at_streams();
    }
    bool by_forecast = until != NW_CUDA_FORECAST_NONE && (ns == 0 || until - now < ns);
    if (by_forecast)
        ns = until - now;
    if (!stay && ns > 0)
        nw_futex_wait_for(&progress.asleep, 1, ns);
    else if (!stay)
        nw_futex_wait(&progress.asleep, 1);
    bool woken = !atomic_exchange_explicit(&progress.asleep, 0, memory_order_relaxed);
    if (stay) {
        start_parked();
        return false;
    }
    progress.slept = true;
    int64_t then = nw_clock_ns();
    if (!by_forecast || woken || then < until)
        return false;
    nw_cuda_forecast_woke(until, then);
    return true;
}

/* Sleeps; or says in *spin how long to look for a work whose end is expected about now, or for which it has woken. */
static void rest(nw_spin_t *spin, int64_t now)
{
    bool is_sure = false, looks = nw_settings.spin > 0 && !nw_spin_is_futile();
    int64_t due = looks ? nw_cuda_forecast_next(progress.busy, now, &is_sure) : NW_CUDA_FORECAST_NONE;
    int64_t margin = nw_cuda_forecast_margin();
    if (due == NW_CUDA_FORECAST_NONE)
        (void)fall_asleep(now, due, false);
    else if (due - now <= margin || fall_asleep(now, due - margin, is_sure))
        *spin = (nw_spin_t){.deadline = due + margin};
}

/* Looks for failures too if it has not done so for a while. */
static void check_now_and_then(int64_t now)
{
    if (progress.busy && now - progress.last_check >= check_interval(now)) {
        progress.last_check = now;
        check_for_failures();
    }
}

static void *progress_main(void *unused)
{
    (void)unused;
    nw_device_thread_begin("nowait-progress");
    nw_device_thread_be_prompt();
    nw_spin_t spin = {0};
    for (;;) {
        bool found = step();
        if (found) {
            spin = (nw_spin_t){0};
            progress.last_finish = time_of_look();
        }
        bool go_on = nw_spin(&spin, nw_settings.spin);
        if (NW_LIKELY(go_on && !found && spin.looks % NW_SPIN_LOOKS != 0))
            continue;
        if (atomic_exchange_explicit(&progress.suspicious, false, memory_order_relaxed))
            check_for_failures();
        if (go_on)
            continue;
        int64_t now = nw_clock_ns();
        if (atomic_load_explicit(&progress.stopping, memory_order_acquire) && !progress.busy)
            return NULL;
        rest(&spin, now);
        check_now_and_then(nw_clock_ns());
        if (atomic_load_explicit(&progress.n_parked, memory_order_relaxed) > 0)
            start_parked();
    }
}

nw_status_t nw_cuda_progress_start(void)
{
    atomic_store_explicit(&progress.stopping, false, memory_order_relaxed);
    return nw_cuda_thread_start(&progress.thread, progress_main, NULL);
}

void nw_cuda_progress_stop(void)
{
    atomic_store_explicit(&progress.stopping, true, memory_order_seq_cst);
    wake_if_asleep();
    nw_cuda_thread_join(&progress.thread);
}

bool nw_cuda_progress_serve(void)
{
    if (!nw_cuda_thread_is_current(&progress.thread))
        return false;
    bool did = step();
    check_now_and_then(nw_clock_ns());
    return did;
}

void nw_cuda_progress_help(void)
{
    step();
    check_for_failures();
    start_parked();
}
