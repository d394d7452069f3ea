/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "support/export.h"

/* What the resolver below has to call. Volatile: to the compiler dlsym calls nothing of ours. */
typedef struct call {
    void (*function)(void *argument);
    void *argument;
} call_t;

static _Thread_local volatile call_t waiting;

/* Never waited for where the loader's lock is held. It is there for ThreadSanitizer, which does not know that one, and
 * for programs into which this file is linked without an entry in their dynamic symbol table. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void run_waiting(void)
{
    call_t call = {.function = waiting.function, .argument = waiting.argument};
    waiting.function = NULL;
    if (!call.function)
        return;
    pthread_mutex_lock(&lock);
    call.function(call.argument);
    pthread_mutex_unlock(&lock);
}

static void do_nothing(void)
{
}

static void (*resolve_gate(void))(void)
{
    run_waiting();
    return do_nothing;
}

/* The loader has no function that takes its lock for others. But dlsym holds it, as dlopen does, while it asks the
 * resolver of an indirect function for the address, and that is code of ours. Nothing refers to this function, so it is
 * looked up by nobody else. */
NW_EXPORT void __nowait_loader_gate(void) __attribute__((ifunc("resolve_gate")));

void nw_loader_locked(void (*function)(void *argument), void *argument)
{
    waiting.argument = argument;
    waiting.function = function;
    if (!dlsym(RTLD_DEFAULT, "__nowait_loader_gate"))
        /* The program must not find this failure when it asks for its own. */
        (void)dlerror();
    run_waiting();
}

void nw_loader_after_fork(void)
{
    static const pthread_mutex_t unlocked = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    lock = unlocked;
}
