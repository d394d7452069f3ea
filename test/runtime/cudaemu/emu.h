/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What all parts of the emulated driver share: the functions' numbers, the way into each of them, the lock, time.
 *
 * One lock guards everything but the counters. No lock is held while a kernel, a host function or a large copy runs.
 */
#ifndef EMU_H
#define EMU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "cudaemu/cudaemu.h"
#include "cudaemu/stock_types.h"

/* The functions, all exported. */
#define EMU_DECLARE(name, symbol, parameters) CUDAEMU_EXPORT CUresult symbol parameters;
#define NW_CU_NEEDED EMU_DECLARE
#define NW_CU_OPTIONAL EMU_DECLARE
#include "device/cuda/cuda_driver.def"
#define CUDAEMU_FUNCTION EMU_DECLARE
#include "cudaemu/stock_driver.def"

typedef enum call {
#define EMU_NUMBER(name, symbol, parameters) CALL_##name,
#define NW_CU_NEEDED EMU_NUMBER
#define NW_CU_OPTIONAL EMU_NUMBER
#include "device/cuda/cuda_driver.def"
#define CUDAEMU_FUNCTION EMU_NUMBER
#include "cudaemu/stock_driver.def"
    N_CALLS
} call_t;

/* What must be so for a function to be called at all. */
typedef enum need {
    NEEDS_NOTHING, /* may even be called inside a host function */
    NEEDS_INIT,
    NEEDS_STREAM, /* names a stream or an event, whose context does; a current one by emu_settings.strict_context */
    NEEDS_CONTEXT /* a current context that no fault has made unusable */
} need_t;

/* A thread of the program, or of the driver. */
typedef struct thread {
    CUcontext current;
    struct thread_stack *pushed; /* contexts under the current one */
    bool in_host_function;
    call_t call; /* the function it is in */
    uint64_t calls[N_CALLS];
    uint64_t blocked[N_CALLS];
} thread_t;

thread_t *emu_thread(void);

/* Counts a call, waits as a delay says, and says whether the function may go on. */
CUresult emu_enter(call_t call, need_t need);

#define ENTER(name, need)                                                                                              \
    do {                                                                                                               \
        CUresult entered_ = emu_enter(CALL_##name, need);                                                              \
        if (entered_ != CUDA_SUCCESS)                                                                                  \
            return entered_;                                                                                           \
    } while (0)

/* The call that the thread is in takes a path that may wait for the device. */
void emu_count_blocked(void);

/* A use that no correct program makes: counted, and a line on standard error. */
__attribute__((format(printf, 1, 2))) void emu_misuse(const char *format, ...);

/* A setting or a name that the emulator doesn't understand: one line, and the program ends with status 99. */
__attribute__((format(printf, 1, 2), noreturn)) void emu_die(const char *format, ...);

/* memory or an end of the program with a line */
void *emu_alloc(size_t size);

void emu_lock(void);
/* Also wakes the threads that emu_wake has named. */
void emu_unlock(void);
/* Sets a word that a thread sleeps on; the thread is woken when the lock is given up. Called with the lock held. */
void emu_wake(_Atomic uint32_t *word);
/* Sleeps until the word is set; `until`: or until then (ns; UINT64_MAX: no limit). Called without the lock. */
void emu_sleep(_Atomic uint32_t *word, uint64_t until);

static inline uint64_t emu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The driver is initialised; it has ended (the program is in its last steps, or is a child of fork). */
extern atomic_bool emu_initialised;
extern atomic_bool emu_ended;
extern atomic_bool emu_forked;

/* Runs once, when the driver is initialised. */
void emu_settings_read(void);

#endif
