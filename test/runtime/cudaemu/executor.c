/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/executor.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include "cudaemu/effects.h"
#include "cudaemu/processor.h"

/* A device runs no more kernels at once than this. */
enum { MAX_THREADS = 128 };

/* A thread without work, on its own stack. */
typedef struct idle {
    _Atomic uint32_t woken;
    stream_t *stream;
    struct idle *next;
} idle_t;

typedef struct pool {
    const char *name;
    size_t n_threads, max_threads;
    bool runs_host_functions;
    idle_t *idle;
    stream_t *first, **last; /* wait for a thread */
} pool_t;

static pool_t workers = {.name = "cudaemu-worker", .max_threads = MAX_THREADS, .last = &workers.first};
/* The driver's own thread for host functions. */
static pool_t callbacks = {
    .name = "cudaemu-hostfn", .max_threads = 1, .runs_host_functions = true, .last = &callbacks.first};

static stream_t *next_stream(pool_t *pool)
{
    stream_t *stream = pool->first;
    if (stream) {
        pool->first = stream->next_waiting;
        if (!pool->first)
            pool->last = &pool->first;
        return stream;
    }
    idle_t me = {.next = pool->idle};
    pool->idle = &me;
    emu_unlock();
    emu_sleep(&me.woken, UINT64_MAX);
    emu_lock();
    return me.stream;
}

static void *thread_main(void *argument)
{
    pool_t *pool = argument;
    prctl(PR_SET_NAME, pool->name, 0, 0, 0);
    emu_thread()->in_host_function = pool->runs_host_functions;
    if (!pool->runs_host_functions)
        emu_processor_is_device();
    emu_lock();
    for (;;) {
        stream_t *stream = next_stream(pool);
        emu_unlock();
        /* The command is the stream's first until emu_executed. */
        emu_perform(stream, stream->head);
        emu_lock();
        emu_executed(stream);
    }
    return NULL;
}

static void start_thread(pool_t *pool)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    /* As much as a kernel has on the CPU device. */
    pthread_attr_setstacksize(&attributes, (size_t)16 << 20);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, thread_main, pool) == 0)
        pool->n_threads++;
    else if (pool->n_threads == 0)
        emu_die("no thread for %s", pool->name);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void emu_execute(stream_t *stream)
{
    pool_t *pool = stream->head->kind == COMMAND_HOST ? &callbacks : &workers;
    idle_t *idle = pool->idle;
    if (idle) {
        pool->idle = idle->next;
        idle->stream = stream;
        emu_wake(&idle->woken);
        return;
    }
    stream->next_waiting = NULL;
    *pool->last = stream;
    pool->last = &stream->next_waiting;
    if (pool->n_threads < pool->max_threads)
        start_thread(pool);
}
