/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a test program asks of the emulated CUDA driver, which libnowait has loaded (test/runtime/cudaemu/cudaemu.h). */
#ifndef NOWAIT_TEST_EMULATED_H
#define NOWAIT_TEST_EMULATED_H

#include <dlfcn.h>
#include <stdint.h>

#include "check.h"

static void *emulated(const char *name)
{
    void *library = dlopen(getenv("NOWAIT_CUDA_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
    CHECK(library != NULL);
    void *address = dlsym(library, name);
    CHECK(address != NULL);
    return address;
}

/* Begins a new count of the driver's calls. */
static void count_calls(void)
{
    ((void (*)(void))emulated("cudaemu_mark"))();
}

/* Calls since then, and those that waited for the device: of a function, or of all (NULL); by all threads, or by this
 * one. */
static uint64_t calls(const char *name)
{
    return ((uint64_t(*)(const char *))emulated("cudaemu_calls"))(name);
}

static uint64_t own_calls(const char *name)
{
    return ((uint64_t(*)(const char *))emulated("cudaemu_thread_calls"))(name);
}

static uint64_t blocking_calls(const char *name)
{
    return ((uint64_t(*)(const char *))emulated("cudaemu_blocked"))(name);
}

static uint64_t own_blocking_calls(const char *name)
{
    return ((uint64_t(*)(const char *))emulated("cudaemu_thread_blocked"))(name);
}

static uint64_t misuses(void)
{
    return ((uint64_t(*)(void))emulated("cudaemu_misuses"))();
}

typedef struct emulated_memory {
    uint64_t device_bytes, device_count, pinned_bytes, pinned_count, managed_bytes, managed_count, device_bytes_high;
    uint64_t streams, events, modules;
} emulated_memory_t;

static emulated_memory_t memory_in_use(void)
{
    emulated_memory_t memory;
    ((void (*)(emulated_memory_t *))emulated("cudaemu_memory"))(&memory);
    return memory;
}

#endif
