/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread of the backend's own: the program's signals are not its business. */
#ifndef NW_CUDA_THREAD_H
#define NW_CUDA_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "support/reason.h"
#include "support/status.h"

typedef struct nw_cuda_thread {
    pthread_t id;
    bool running;
} nw_cuda_thread_t;

static inline nw_status_t nw_cuda_thread_start(nw_cuda_thread_t *thread, void *(*body)(void *), void *argument)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    thread->running = pthread_create(&thread->id, NULL, body, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (thread->running)
        return NW_OK;
    nw_reason_set("no thread for the GPUs could be started; raise the limit on processes");
    return NW_ERR_SYSTEM;
}

static inline bool nw_cuda_thread_is_current(const nw_cuda_thread_t *thread)
{
    return thread->running && pthread_equal(pthread_self(), thread->id);
}

static inline void nw_cuda_thread_join(nw_cuda_thread_t *thread)
{
    if (thread->running)
        pthread_join(thread->id, NULL);
    thread->running = false;
}

#endif
