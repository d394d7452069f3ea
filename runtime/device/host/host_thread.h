/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread with a stack of its own mapping. The C library counts a stack's whole size against the memory that the
 * system may promise, and is refused one that is larger than that; here only what is used counts.
 */
#ifndef NW_HOST_THREAD_H
#define NW_HOST_THREAD_H

#include <pthread.h>
#include <stddef.h>

#include "support/status.h"

typedef struct nw_host_thread {
    pthread_t thread;
    void *stack;       /* with its guard */
    size_t stack_size; /* bytes */
} nw_host_thread_t;

/* Starts a thread that has all signals blocked: those are the program's. `stack_size`: bytes. NW_ERR_SYSTEM: there are
 * too many threads, or too little memory or room among the addresses. Owns: the caller; nw_host_thread_join. */
nw_status_t nw_host_thread_start(nw_host_thread_t *thread, size_t stack_size, void *(*run)(void *), void *argument);

/* Waits for the thread's end, and gives its stack back. Blocks. */
void nw_host_thread_join(nw_host_thread_t *thread);

#endif
