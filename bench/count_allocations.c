/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A library to preload: counts calls of the allocating functions of libc by the library that calls them, and prints
 *
 *     allocations LIBRARY COUNT
 *
 * for each when the program ends, to the file that ALLOCATIONS_FILE names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own names for its allocator, so that no look-up is needed, which would itself allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* Calls from one place in the code; open addressing. Callers are resolved at the end, since dladdr takes locks. */
#define PLACES 4096u
static struct {
    _Atomic uintptr_t address;
    _Atomic uint64_t count;
} places[PLACES];

static void count(void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    for (uint32_t i = 0, at = (uint32_t)(address * 2654435761u); i < PLACES; i++, at++) {
        uintptr_t seen = 0;
        if (atomic_compare_exchange_strong(&places[at % PLACES].address, &seen, address) || seen == address) {
            atomic_fetch_add(&places[at % PLACES].count, 1);
            return;
        }
    }
}

#define COUNT() count(__builtin_return_address(0))
#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t size)
{
    COUNT();
    return __libc_malloc(size);
}

EXPORT void *calloc(size_t n, size_t size)
{
    COUNT();
    return __libc_calloc(n, size);
}

EXPORT void *realloc(void *block, size_t size)
{
    COUNT();
    return __libc_realloc(block, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    COUNT();
    return __libc_memalign(alignment, size);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    COUNT();
    return __libc_memalign(alignment, size);
}

EXPORT int posix_memalign(void **block_p, size_t alignment, size_t size)
{
    COUNT();
    *block_p = __libc_memalign(alignment, size);
    return *block_p ? 0 : ENOMEM;
}

__attribute__((destructor)) static void print(void)
{
    const char *name = getenv("ALLOCATIONS_FILE");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!file)
        return;
    for (uint32_t i = 0; i < PLACES; i++) {
        uintptr_t address = atomic_load(&places[i].address);
        Dl_info info;
        if (!address)
            continue;
        const char *library = dladdr((void *)address, &info) && info.dli_fname ? info.dli_fname : "unknown";
        const char *slash = strrchr(library, '/');
        fprintf(file, "allocations %s %lu\n", slash ? slash + 1 : library,
                (unsigned long)atomic_load(&places[i].count));
    }
    fclose(file);
}
