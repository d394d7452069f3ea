/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulator's lock, sleeping and waking, and its last words. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cudaemu/emu.h"

enum { MAX_WAKES = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Words whose sleepers are woken when the lock is given up. */
static _Atomic uint32_t *wakes[MAX_WAKES];
static size_t n_wakes;

static void futex_wake(_Atomic uint32_t *word)
{
    /* The sleeper may already be gone with its word: then nothing happens, or another looks once more. */
    syscall(SYS_futex, (void *)word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void emu_lock(void)
{
    pthread_mutex_lock(&lock);
}

void emu_unlock(void)
{
    if (n_wakes == 0) {
        pthread_mutex_unlock(&lock);
        return;
    }
    _Atomic uint32_t *mine[MAX_WAKES];
    size_t n = n_wakes;
    for (size_t i = 0; i < n; i++)
        mine[i] = wakes[i];
    n_wakes = 0;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < n; i++)
        futex_wake(mine[i]);
}

void emu_wake(_Atomic uint32_t *word)
{
    /* Release pairs with emu_sleep's acquire. */
    atomic_store_explicit(word, 1, memory_order_release);
    if (n_wakes < MAX_WAKES)
        wakes[n_wakes++] = word;
    else
        futex_wake(word);
}

void emu_sleep(_Atomic uint32_t *word, uint64_t until)
{
    struct timespec t = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    while (atomic_load_explicit(word, memory_order_acquire) == 0) {
        long answer = syscall(SYS_futex, (void *)word, FUTEX_WAIT_BITSET_PRIVATE, 0, until == UINT64_MAX ? NULL : &t,
                              NULL, FUTEX_BITSET_MATCH_ANY);
        if (answer != 0 && errno == ETIMEDOUT)
            return;
    }
}

void emu_die(const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "cudaemu: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    _exit(99);
}

void *emu_alloc(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        emu_die("no memory");
    return memory;
}
