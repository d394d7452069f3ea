/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the emulated CUDA driver offers to tests beyond the driver interface. A test that links the library calls these;
 * one that loads it looks them up with dlsym. Settings by environment are in docs/testing.md.
 *
 * Threads: any. Names of functions are those of cuda.h without version ("cuMemAlloc"). NULL stands for all functions.
 */
#ifndef CUDAEMU_H
#define CUDAEMU_H

#include <stdint.h>

#include "device/cuda/cuda_driver.h"

#define CUDAEMU_EXPORT __attribute__((visibility("default")))

/* Tells a backend that this driver also takes x86-64 shared objects as images. */
CUDAEMU_EXPORT extern const int cudaemu_accepts_x86_64;

/* --- counts --------------------------------------------------------------------------------------------------- */

/* Calls of a function since the last mark, by all threads. A name that is not emulated ends the program. */
CUDAEMU_EXPORT uint64_t cudaemu_calls(const char *name);
/* The same for calls by the calling thread. */
CUDAEMU_EXPORT uint64_t cudaemu_thread_calls(const char *name);
/* How many of them had to wait for the device, or took a path on which the real driver may wait for it. */
CUDAEMU_EXPORT uint64_t cudaemu_blocked(const char *name);
CUDAEMU_EXPORT uint64_t cudaemu_thread_blocked(const char *name);
/* Begins a new count: of all threads', and of the calling thread's own. */
CUDAEMU_EXPORT void cudaemu_mark(void);
/* Uses that the real driver does not define or answers with an error a correct program never sees (a second free, a
 * handle that is none, memory freed under a pending copy), since the start. Each is also a line on standard error. */
CUDAEMU_EXPORT uint64_t cudaemu_misuses(void);

/* What is allocated and not freed now: bytes and number, by kind. */
typedef struct cudaemu_memory {
    uint64_t device_bytes, device_count; /* cuMemAlloc and from pools */
    uint64_t pinned_bytes, pinned_count; /* page-locked by the driver or registered */
    uint64_t managed_bytes, managed_count;
    uint64_t device_bytes_high; /* most device memory there was at a time */
    uint64_t streams, events, modules;
} cudaemu_memory_t;

CUDAEMU_EXPORT void cudaemu_memory(cudaemu_memory_t *memory);

/* Processor time in nanoseconds of the threads that stand for the device (its clock, kernels that are code, copies): a
 * real one takes none of the host's. The thread that calls host functions is the driver's, and not among them. */
CUDAEMU_EXPORT uint64_t cudaemu_device_ns(void);

/* --- kernels -------------------------------------------------------------------------------------------------- */

typedef struct cudaemu_launch {
    const char *kernel;
    unsigned int grid[3], block[3], dynamic_shared;
    const void *arguments; /* the argument buffer, valid during the call */
    size_t size;           /* bytes of it; 0 if not known */
} cudaemu_launch_t;

/* Lets launches of kernels of cubins whose name matches a pattern (fnmatch) call `function`, in a thread of the
 * driver's, at the place in the stream where the kernel stands. The newest pattern wins. NULL: does nothing again. */
CUDAEMU_EXPORT void cudaemu_kernel(const char *pattern, void (*function)(const cudaemu_launch_t *launch, void *data),
                                   void *data);
/* Modelled time of kernels whose name matches, in nanoseconds; NULL matches all. The newest pattern wins. */
CUDAEMU_EXPORT void cudaemu_kernel_time(const char *pattern, uint64_t ns);

/* --- faults and delays ---------------------------------------------------------------------------------------- */

/* Lets a function's nth call from now (1: the next) answer `result` without doing anything; with `ever`, and all after
 * it. */
CUDAEMU_EXPORT void cudaemu_fail(const char *name, uint64_t nth, int ever, CUresult result);
/* Lets the nth kernel from now whose name matches (NULL: any) end with `result`: the context is unusable from then on,
 * as it is on a real device after an illegal address. */
CUDAEMU_EXPORT void cudaemu_fail_kernel(const char *pattern, uint64_t nth, CUresult result);
/* Lets each call of a function take at least this long, also one that is in progress. */
CUDAEMU_EXPORT void cudaemu_delay(const char *name, uint64_t ns);
/* Takes back all faults and delays, and makes contexts usable again that a fault has broken. */
CUDAEMU_EXPORT void cudaemu_heal(void);

#endif
