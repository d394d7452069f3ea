/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A library to preload: counts what libnowait.so calls between path_begin and path_end, and prints
 *
 *     allocations N    malloc and its kin, mmap
 *     formatting N     snprintf and its kin
 *     environment N    getenv
 *     locks N          pthread_mutex_lock and _trylock
 *     shared N         mutexes that more than one of the threads that have called path_thread have locked
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void path_thread(int number);
void path_begin(void);
void path_end(void);

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static uintptr_t library_begin, library_end;
static _Atomic bool counting;
static _Atomic uint64_t allocations, formatting, environment, locks;
static _Thread_local unsigned thread_bit; /* 0: not one of the program's */

/* Mutexes that the program's threads have locked, and which of them. */
#define MUTEXES 1024u
static struct {
    _Atomic uintptr_t address;
    _Atomic unsigned threads;
} mutexes[MUTEXES];

static bool from_nowait(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    return atomic_load_explicit(&counting, memory_order_relaxed) && at >= library_begin && at < library_end;
}

static void count(_Atomic uint64_t *what, const void *caller)
{
    if (from_nowait(caller))
        atomic_fetch_add(what, 1);
}

static void count_lock(uintptr_t mutex, const void *caller)
{
    if (!from_nowait(caller))
        return;
    atomic_fetch_add(&locks, 1);
    for (uint32_t i = 0, at = (uint32_t)(mutex / 8 * 2654435761u); thread_bit && i < MUTEXES; i++, at++) {
        uintptr_t seen = 0;
        if (atomic_compare_exchange_strong(&mutexes[at % MUTEXES].address, &seen, mutex) || seen == mutex) {
            atomic_fetch_or(&mutexes[at % MUTEXES].threads, thread_bit);
            return;
        }
    }
}

#define CALLER __builtin_return_address(0)

EXPORT void *malloc(size_t size)
{
    count(&allocations, CALLER);
    return __libc_malloc(size);
}

EXPORT void *calloc(size_t n, size_t size)
{
    count(&allocations, CALLER);
    return __libc_calloc(n, size);
}

EXPORT void *realloc(void *block, size_t size)
{
    count(&allocations, CALLER);
    return __libc_realloc(block, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    count(&allocations, CALLER);
    return __libc_memalign(alignment, size);
}

EXPORT int posix_memalign(void **block_p, size_t alignment, size_t size)
{
    count(&allocations, CALLER);
    *block_p = __libc_memalign(alignment, size);
    return *block_p ? 0 : ENOMEM;
}

EXPORT void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    count(&allocations, CALLER);
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

/* Defines a formatting function `name`, which ends in `format, ...`, by `done`, which takes them as `args`. The checked
 * forms stand for the plain ones in code that is compiled with _FORTIFY_SOURCE. */
#define FORMATTING(name, done, ...) \
    int name(__VA_ARGS__, const char *format, ...); \
    EXPORT int name(__VA_ARGS__, const char *format, ...) \
    { \
        va_list args; \
        va_start(args, format); \
        count(&formatting, CALLER); \
        int length = done; \
        va_end(args); \
        return length; \
    }

FORMATTING(snprintf, vsnprintf(text, size, format, args), char *text, size_t size)
FORMATTING(__snprintf_chk, ((void)flag, (void)room, vsnprintf(text, size, format, args)), char *text, size_t size,
           int flag, size_t room)
FORMATTING(fprintf, vfprintf(file, format, args), FILE *file)
FORMATTING(__fprintf_chk, ((void)flag, vfprintf(file, format, args)), FILE *file, int flag)

int __vsnprintf_chk(char *text, size_t size, int flag, size_t room, const char *format, va_list args);
EXPORT int __vsnprintf_chk(char *text, size_t size, int flag, size_t room, const char *format, va_list args)
{
    (void)flag;
    (void)room;
    count(&formatting, CALLER);
    return vsnprintf(text, size, format, args);
}

EXPORT char *getenv(const char *name)
{
    size_t length = strlen(name);
    count(&environment, CALLER);
    for (char **entry = environ; entry && *entry; entry++) {
        if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
            return *entry + length + 1;
    }
    return NULL;
}

typedef int lock_func_t(pthread_mutex_t *mutex);

static lock_func_t *next(_Atomic(lock_func_t *) *known, const char *name)
{
    lock_func_t *function = atomic_load(known);
    if (!function) {
        *(void **)&function = dlsym(RTLD_NEXT, name);
        atomic_store(known, function);
    }
    return function;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static _Atomic(lock_func_t *) known;
    count_lock((uintptr_t)mutex, CALLER);
    return next(&known, "pthread_mutex_lock")(mutex);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    static _Atomic(lock_func_t *) known;
    count_lock((uintptr_t)mutex, CALLER);
    return next(&known, "pthread_mutex_trylock")(mutex);
}

static int find_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (!strstr(info->dlpi_name, "libnowait.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = begin + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        if (!library_begin || begin < library_begin)
            library_begin = begin;
        if (end > library_end)
            library_end = end;
    }
    return 1;
}

EXPORT void path_thread(int number)
{
    thread_bit = 1u << number;
}

EXPORT void path_begin(void)
{
    dl_iterate_phdr(find_library, NULL);
    atomic_store(&counting, true);
}

EXPORT void path_end(void)
{
    unsigned shared = 0;
    atomic_store(&counting, false);
    for (uint32_t i = 0; i < MUTEXES; i++) {
        unsigned threads = atomic_load(&mutexes[i].threads);
        shared += (threads & (threads - 1)) != 0;
    }
    printf("library %d\nallocations %lu\nformatting %lu\nenvironment %lu\nlocks %lu\nshared %u\n", library_end != 0,
           (unsigned long)allocations, (unsigned long)formatting, (unsigned long)environment, (unsigned long)locks,
           shared);
    fflush(stdout);
}
