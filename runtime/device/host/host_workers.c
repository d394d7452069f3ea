/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/host/host_workers.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_state.h"
#include "device/device_thread.h"
#include "device/host/host_image.h"
#include "device/host/host_load.h"
#include "device/host/host_thread.h"
#include "device/work_list.h"
#include "support/clock.h"
#include "support/futex.h"
#include "support/log.h"
#include "support/reason.h"
#include "support/spin.h"

/*
 * The queue is a ring in which every cell carries a turn number (Vyukov's bounded queue): a producer owns cell `tail`
 * when its turn equals tail, a consumer owns cell `head` when its turn equals head + 1. When the ring is full, works go
 * to a list under a lock, and so does every later work until that list is empty again, which keeps their order.
 */
#define RING_SIZE 8192u
#define LEAST_STACK ((int64_t)16 << 20)

typedef struct cell {
    _Atomic size_t turn;
    nw_work_t *work;
} cell_t;

/* A worker that sleeps, or is about to; on its own stack. */
typedef struct sleeper {
    struct sleeper *next;
    _Atomic uint32_t woken; /* it sleeps on this */
} sleeper_t;

static struct {
    cell_t ring[RING_SIZE];
    _Alignas(64) _Atomic size_t tail;
    _Alignas(64) _Atomic size_t head;
    _Alignas(64) pthread_mutex_t overflow_lock;
    nw_work_list_t overflow;
    _Atomic size_t overflow_count;
    /* Workers that look for work, and workers in the list of those that sleep. Whoever wakes a sleeper takes it out of
     * the list and counts it as looking, so that the next push doesn't wake another one for the same work. */
    _Alignas(64) _Atomic uint32_t spinning;
    _Atomic uint32_t sleeping;
    _Atomic uint32_t kernels; /* that workers run */
    pthread_mutex_t idle_lock; /* guards the list, and `woken` of those in it */
    sleeper_t *sleepers;
    _Atomic bool stopping;
    _Atomic uint32_t may_end; /* workers that may, in the order in which they were started; they sleep on this */
    pthread_mutex_t threads_lock;
    nw_host_thread_t *threads;
    _Atomic int64_t n_threads;
    int64_t limit;
    size_t stack_size;
    int64_t spin_ns;
} pool = {.overflow_lock = PTHREAD_MUTEX_INITIALIZER,
          .idle_lock = PTHREAD_MUTEX_INITIALIZER,
          .threads_lock = PTHREAD_MUTEX_INITIALIZER};

static bool ring_push(nw_work_t *work)
{
    size_t tail = atomic_load_explicit(&pool.tail, memory_order_relaxed);
    for (;;) {
        cell_t *cell = &pool.ring[tail % RING_SIZE];
        /* Acquire: the consumer's reading of the cell's last work came before its turn was passed on. */
        size_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);
        if (turn == tail) {
            if (atomic_compare_exchange_weak_explicit(&pool.tail, &tail, tail + 1, memory_order_relaxed,
                                                      memory_order_relaxed)) {
                cell->work = work;
                /* Release pairs with the acquire in ring_pop: the work's fields are visible to the consumer. */
                atomic_store_explicit(&cell->turn, tail + 1, memory_order_release);
                return true;
            }
        } else if ((intptr_t)(turn - tail) < 0) {
            return false;
        } else {
            tail = atomic_load_explicit(&pool.tail, memory_order_relaxed);
        }
    }
}

static nw_work_t *ring_pop(void)
{
    size_t head = atomic_load_explicit(&pool.head, memory_order_relaxed);
    for (;;) {
        cell_t *cell = &pool.ring[head % RING_SIZE];
        size_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);
        if (turn == head + 1) {
            if (atomic_compare_exchange_weak_explicit(&pool.head, &head, head + 1, memory_order_relaxed,
                                                      memory_order_relaxed)) {
                nw_work_t *work = cell->work;
                atomic_store_explicit(&cell->turn, head + RING_SIZE, memory_order_release);
                return work;
            }
        } else if ((intptr_t)(turn - (head + 1)) < 0) {
            return NULL;
        } else {
            head = atomic_load_explicit(&pool.head, memory_order_relaxed);
        }
    }
}

static void overflow_push(nw_work_t *work)
{
    pthread_mutex_lock(&pool.overflow_lock);
    nw_work_list_add(&pool.overflow, work);
    atomic_fetch_add_explicit(&pool.overflow_count, 1, memory_order_release);
    pthread_mutex_unlock(&pool.overflow_lock);
}

static nw_work_t *overflow_pop(void)
{
    if (atomic_load_explicit(&pool.overflow_count, memory_order_acquire) == 0)
        return NULL;
    pthread_mutex_lock(&pool.overflow_lock);
    nw_work_t *work = nw_work_list_take(&pool.overflow);
    if (work)
        atomic_fetch_sub_explicit(&pool.overflow_count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&pool.overflow_lock);
    return work;
}

static nw_work_t *queue_pop(void)
{
    nw_work_t *work = ring_pop();
    return work ? work : overflow_pop();
}

static bool queue_has_work(void)
{
    return atomic_load_explicit(&pool.tail, memory_order_acquire) !=
               atomic_load_explicit(&pool.head, memory_order_acquire) ||
           atomic_load_explicit(&pool.overflow_count, memory_order_acquire) != 0;
}

/* Makes sure that some worker will look at the queue: none is needed while one is looking anyway. */
static void wake_one(void)
{
    /* Sequentially consistent with the same fence in fall_asleep: either this thread sees the sleeper, or the sleeper
     * sees the work. */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&pool.spinning, memory_order_relaxed) > 0 ||
        atomic_load_explicit(&pool.sleeping, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&pool.idle_lock);
    sleeper_t *sleeper = pool.sleepers;
    _Atomic uint32_t *word = NULL;
    if (sleeper && atomic_load_explicit(&pool.spinning, memory_order_relaxed) == 0) {
        pool.sleepers = sleeper->next;
        atomic_fetch_sub_explicit(&pool.sleeping, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&pool.spinning, 1, memory_order_relaxed);
        word = &sleeper->woken;
        atomic_store_explicit(word, 1, memory_order_release);
    }
    pthread_mutex_unlock(&pool.idle_lock);
    if (word)
        nw_futex_wake(word, 1);
}

void nw_host_workers_push(nw_work_t *work)
{
    if (atomic_load_explicit(&pool.overflow_count, memory_order_relaxed) != 0 || !ring_push(work))
        overflow_push(work);
    wake_one();
}

static void run_copies(nw_work_t *work, bool in)
{
    nw_cursor_t cursor = {0};
    nw_chunk_t chunk;
    while (in ? nw_work_next_in(work, &cursor, &chunk) : nw_work_next_out(work, &cursor, &chunk)) {
        if (in)
            memcpy(chunk.device, chunk.host, chunk.size);
        else
            memcpy(chunk.host, chunk.device, chunk.size);
    }
}

static void run_moves(nw_work_t *work)
{
    nw_cursor_t cursor = {0};
    nw_move_t move;
    while (nw_work_next_move(work, &cursor, &move)) {
        if (move.from)
            memmove(move.to, move.from, move.size);
        else
            memset(move.to, move.byte, move.size);
    }
}

const nw_kernel_hooks_t *_Atomic nw_kernel_hooks;

/* Counts a kernel that begins on a worker. Returns the most lately that ran, or waited for a worker. */
static int32_t begin_kernel(void)
{
    static nw_host_load_t load;
    size_t n = atomic_fetch_add_explicit(&pool.kernels, 1, memory_order_relaxed) + 1 +
               atomic_load_explicit(&pool.overflow_count, memory_order_relaxed);
    /* Read in this order, the difference may be too small, but nothing counts that is not there. */
    size_t tail = atomic_load_explicit(&pool.tail, memory_order_acquire);
    size_t head = atomic_load_explicit(&pool.head, memory_order_relaxed);
    n += head < tail ? tail - head : 0;
    return nw_host_load_note(&load, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX, nw_clock_ns());
}

static nw_status_t run_kernel(nw_work_t *work)
{
    /* Acquire pairs with the release of whoever has set them. */
    const nw_kernel_hooks_t *hooks = atomic_load_explicit(&nw_kernel_hooks, memory_order_acquire);
    if (NW_UNLIKELY(!hooks))
        return nw_host_kernel_call(&work->launch);
    bool worker = nw_device_thread_is_current();
    int32_t before = hooks->enter(work->device->number, worker ? begin_kernel() : 0);
    nw_status_t status = nw_host_kernel_call(&work->launch);
    hooks->leave(before);
    if (worker)
        atomic_fetch_sub_explicit(&pool.kernels, 1, memory_order_relaxed);
    return status;
}

static __attribute__((cold, noinline)) nw_status_t run_kernel_told(nw_work_t *work)
{
    nw_work_launch_begins(work);
    nw_status_t status = run_kernel(work);
    nw_work_launch_ends(work);
    return status;
}

typedef enum phase { MOVES, COPIES_IN, KERNEL, COPIES_OUT } phase_t;

static nw_status_t run_phase(nw_work_t *work, phase_t phase)
{
    if (phase == MOVES)
        run_moves(work);
    else if (phase == COPIES_IN || phase == COPIES_OUT)
        run_copies(work, phase == COPIES_IN);
    else
        return NW_UNLIKELY(work->tool != NULL) ? run_kernel_told(work) : run_kernel(work);
    return NW_OK;
}

/* As nw_host_work_run, and records each part. Where one ends the next begins; all are recorded behind the last, so that
 * none has the time of recording another in it. */
static __attribute__((cold, noinline)) nw_status_t run_traced(nw_work_t *work)
{
    static const nw_trace_kind_t kinds[] = {NW_TRACE_MOVE, NW_TRACE_COPY_IN, NW_TRACE_KERNEL, NW_TRACE_COPY_OUT};
    const bool does[] = {work->moves, work->copies_in, work->has_kernel, work->copies_out};
    int64_t ends[COPIES_OUT + 1], end = nw_clock_ns();
    nw_status_t status = NW_OK;
    nw_trace_event_t event = {.kind = NW_TRACE_QUEUE,
                              .op = work->trace.op,
                              .loc = work->loc,
                              .kernel = work->launch.name,
                              .begin = work->trace.since,
                              .end = end,
                              .device = work->device->number};
    unsigned n = 0;
    for (; n <= COPIES_OUT && status == NW_OK; n++) {
        ends[n] = end;
        if (does[n]) {
            status = run_phase(work, (phase_t)n);
            ends[n] = end = nw_clock_ns();
        }
    }
    nw_trace_state(&event);
    for (phase_t phase = MOVES; phase < n; phase++) {
        event.begin = event.end;
        event.end = ends[phase];
        if (!does[phase])
            continue;
        event.kind = kinds[phase];
        event.flow = phase == KERNEL ? NW_TRACE_FLOW_PASSES : NW_TRACE_NO_FLOW;
        event.bytes = phase == COPIES_IN || phase == COPIES_OUT ? nw_work_copied_bytes(work, phase == COPIES_IN) : 0;
        nw_trace_slice(&event);
        if (phase == COPIES_IN)
            nw_work_data_is_there(work);
    }
    return status;
}

nw_status_t nw_host_work_run(nw_work_t *work)
{
    nw_status_t status = NW_OK;
    if (NW_UNLIKELY(work->trace.op))
        return run_traced(work);
    if (work->moves)
        run_moves(work);
    if (work->copies_in) {
        run_copies(work, true);
        nw_work_data_is_there(work);
    }
    if (work->has_kernel)
        status = NW_UNLIKELY(work->tool != NULL) ? run_kernel_told(work) : run_kernel(work);
    if (status == NW_OK && work->copies_out)
        run_copies(work, false);
    return status;
}

static void *worker_main(void *unused);

/* Starts one more worker if the limit allows. */
static nw_status_t add_worker(void)
{
    nw_status_t status = NW_OK;
    pthread_mutex_lock(&pool.threads_lock);
    int64_t n = atomic_load_explicit(&pool.n_threads, memory_order_relaxed);
    if (n < pool.limit && !atomic_load_explicit(&pool.stopping, memory_order_relaxed)) {
        status = nw_host_thread_start(&pool.threads[n], pool.stack_size, worker_main, (void *)(intptr_t)n);
        if (status == NW_OK)
            atomic_store_explicit(&pool.n_threads, n + 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&pool.threads_lock);
    return status;
}

/*
 * A worker with a work in hand leaves somebody behind to look for the next one: as long as the limit allows there is a
 * worker that spins or sleeps, so a push never has to start a thread and works never queue behind a long one.
 */
static void pass_search_on(void)
{
    if (atomic_load_explicit(&pool.spinning, memory_order_relaxed) > 0)
        return;
    if (atomic_load_explicit(&pool.sleeping, memory_order_relaxed) > 0) {
        if (queue_has_work())
            wake_one();
    } else if (atomic_load_explicit(&pool.n_threads, memory_order_relaxed) < pool.limit) {
        /* If no thread can be had, those that exist do the work. */
        (void)add_worker();
    }
}

/* Looks for work for the spin time, and stops being counted as looking. Then it looks once more, since pushes rely on
 * whoever is counted. */
static nw_work_t *spin_for_work(void)
{
    nw_spin_t spin = {0};
    nw_work_t *work;
    while (!(work = queue_pop()) && nw_spin(&spin, pool.spin_ns) &&
           !atomic_load_explicit(&pool.stopping, memory_order_relaxed))
        ;
    atomic_fetch_sub_explicit(&pool.spinning, 1, memory_order_seq_cst);
    return work ? work : queue_pop();
}

/* Takes the worker out of the sleepers' list; false if somebody has woken it, and counted it as looking. */
static bool withdraw(sleeper_t *self)
{
    pthread_mutex_lock(&pool.idle_lock);
    bool listed = !atomic_load_explicit(&self->woken, memory_order_relaxed);
    for (sleeper_t **link = &pool.sleepers; listed && *link; link = &(*link)->next) {
        if (*link == self) {
            *link = self->next;
            atomic_fetch_sub_explicit(&pool.sleeping, 1, memory_order_relaxed);
            break;
        }
    }
    pthread_mutex_unlock(&pool.idle_lock);
    return listed;
}

/* Sleeps until woken. Returns a work if one came just before, and true in *counted_p if the worker is counted as
 * looking when this returns. */
static nw_work_t *fall_asleep(bool *counted_p)
{
    sleeper_t self = {0};
    pthread_mutex_lock(&pool.idle_lock);
    self.next = pool.sleepers;
    pool.sleepers = &self;
    atomic_fetch_add_explicit(&pool.sleeping, 1, memory_order_relaxed);
    pthread_mutex_unlock(&pool.idle_lock);
    atomic_thread_fence(memory_order_seq_cst);
    nw_work_t *work = queue_pop();
    if (work || atomic_load_explicit(&pool.stopping, memory_order_relaxed)) {
        *counted_p = !withdraw(&self);
        return work;
    }
    while (!atomic_load_explicit(&self.woken, memory_order_acquire))
        nw_futex_wait(&self.woken, 0);
    *counted_p = true;
    return NULL;
}

/* Returns the next work, or NULL when the workers are to stop. */
static nw_work_t *find_work(void)
{
    nw_work_t *work = queue_pop();
    bool counted = false;
    while (!work && !atomic_load_explicit(&pool.stopping, memory_order_relaxed)) {
        /* One that looks is enough. */
        if (!counted && atomic_load_explicit(&pool.spinning, memory_order_relaxed) == 0) {
            atomic_fetch_add_explicit(&pool.spinning, 1, memory_order_seq_cst);
            counted = true;
        }
        if (counted)
            work = spin_for_work();
        counted = false;
        if (!work)
            work = fall_asleep(&counted);
    }
    if (counted)
        atomic_fetch_sub_explicit(&pool.spinning, 1, memory_order_seq_cst);
    return work;
}

/*
 * Ends one worker at a time. A kernel that uses OpenMP makes its worker a thread of libomp's, which does some of
 * libomp's own clearing up when it ends; two at once may both wait for the end of libomp's helper threads, of which
 * one hears (__kmp_internal_end_thread of libomp 19 and 22).
 */
static void wait_to_end(uint32_t number)
{
    uint32_t may_end;
    while ((may_end = atomic_load_explicit(&pool.may_end, memory_order_acquire)) <= number)
        nw_futex_wait(&pool.may_end, may_end);
}

static void *worker_main(void *number)
{
    nw_device_thread_begin("nowait-worker");
    nw_work_t *work;
    while ((work = find_work())) {
        pass_search_on();
        nw_status_t status = nw_host_work_run(work);
        work->done(work, status);
    }
    wait_to_end((uint32_t)(uintptr_t)number);
    return NULL;
}

nw_status_t nw_host_workers_start(int64_t limit, int64_t spin_ns, int64_t stack)
{
    for (size_t i = 0; i < RING_SIZE; i++)
        atomic_store_explicit(&pool.ring[i].turn, i, memory_order_relaxed);
    pool.limit = limit;
    pool.stack_size = (size_t)(stack < LEAST_STACK ? LEAST_STACK : stack);
    pool.spin_ns = spin_ns;
    pool.threads = calloc((size_t)limit, sizeof *pool.threads);
    if (!pool.threads)
        return NW_ERR_NO_MEMORY;
    nw_status_t status = add_worker();
    if (status != NW_OK)
        nw_reason_set("no thread for the CPU devices could be started; raise the limit on processes, or lower "
                      "OMP_STACKSIZE");
    return status;
}

void nw_host_workers_stop(void)
{
    pthread_mutex_lock(&pool.threads_lock);
    atomic_store_explicit(&pool.stopping, true, memory_order_seq_cst);
    int64_t n = atomic_load_explicit(&pool.n_threads, memory_order_relaxed);
    pthread_mutex_unlock(&pool.threads_lock);
    for (int64_t i = 0; i < n; i++) {
        /* Each turn wakes one sleeper; those that look see the flag by themselves. */
        pthread_mutex_lock(&pool.idle_lock);
        sleeper_t *sleeper = pool.sleepers;
        if (sleeper) {
            pool.sleepers = sleeper->next;
            atomic_fetch_sub_explicit(&pool.sleeping, 1, memory_order_relaxed);
            atomic_fetch_add_explicit(&pool.spinning, 1, memory_order_relaxed);
            atomic_store_explicit(&sleeper->woken, 1, memory_order_release);
            nw_futex_wake(&sleeper->woken, 1);
        }
        pthread_mutex_unlock(&pool.idle_lock);
    }
    for (int64_t i = 0; i < n; i++) {
        atomic_store_explicit(&pool.may_end, (uint32_t)i + 1, memory_order_release);
        nw_futex_wake(&pool.may_end, INT_MAX);
        nw_host_thread_join(&pool.threads[i]);
    }
    atomic_store_explicit(&pool.n_threads, 0, memory_order_relaxed);
    free(pool.threads);
    pool.threads = NULL;
}
