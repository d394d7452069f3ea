/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/host/host_thread.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Maps a stack, at whose low end, where it overflows, is a page that nobody may touch. */
static bool map_stack(nw_host_thread_t *thread, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > SIZE_MAX - 2 * page)
        return false;
    thread->stack_size = (size + page - 1) / page * page + page;
    thread->stack = mmap(NULL, thread->stack_size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (thread->stack == MAP_FAILED)
        return false;
    if (mprotect(thread->stack, page, PROT_NONE) == 0)
        return true;
    munmap(thread->stack, thread->stack_size);
    return false;
}

nw_status_t nw_host_thread_start(nw_host_thread_t *thread, size_t stack_size, void *(*run)(void *), void *argument)
{
    if (!map_stack(thread, stack_size))
        return NW_ERR_SYSTEM;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    int fault = pthread_attr_setstack(&attributes, thread->stack, thread->stack_size);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (fault == 0)
        fault = pthread_create(&thread->thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (fault == 0)
        return NW_OK;
    munmap(thread->stack, thread->stack_size);
    return NW_ERR_SYSTEM;
}

void nw_host_thread_join(nw_host_thread_t *thread)
{
    pthread_join(thread->thread, NULL);
    munmap(thread->stack, thread->stack_size);
}
