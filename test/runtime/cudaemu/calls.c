/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The way into every function: counts, rules of who may call, faults. */
#include "cudaemu/calls.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudaemu/context.h"
#include "cudaemu/fault.h"

const int cudaemu_accepts_x86_64 = 1;

atomic_bool emu_initialised;
atomic_bool emu_ended;
atomic_bool emu_forked;

static const char *const names[N_CALLS] = {
#define EMU_NAME(name, symbol, parameters) [CALL_##name] = #name,
#define NW_CU_NEEDED EMU_NAME
#define NW_CU_OPTIONAL EMU_NAME
#include "device/cuda/cuda_driver.def"
#define CUDAEMU_FUNCTION EMU_NAME
#include "cudaemu/stock_driver.def"
};

static _Atomic uint64_t calls[N_CALLS], blocked[N_CALLS];
static uint64_t marked_calls[N_CALLS], marked_blocked[N_CALLS]; /* lock held */
static _Atomic uint64_t misuses;

/* --- threads -------------------------------------------------------------------------------------------------- */

static _Thread_local thread_t *self __attribute__((tls_model("initial-exec")));
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

/* Other destructors of the thread may still call the driver: they begin anew. */
static void end_of_thread(void *thread)
{
    self = NULL;
    free(thread);
}

static void make_key(void)
{
    pthread_key_create(&key, end_of_thread);
}

static thread_t *new_thread(void)
{
    pthread_once(&key_once, make_key);
    self = emu_alloc(sizeof *self);
    pthread_setspecific(key, self);
    return self;
}

thread_t *emu_thread(void)
{
    return self ? self : new_thread();
}

/* --- the way in ----------------------------------------------------------------------------------------------- */

static CUresult may_call(const thread_t *thread, need_t need)
{
    if (need == NEEDS_NOTHING)
        return CUDA_SUCCESS;
    if (atomic_load_explicit(&emu_ended, memory_order_relaxed))
        return CUDA_ERROR_DEINITIALIZED;
    if (atomic_load_explicit(&emu_forked, memory_order_relaxed) ||
        !atomic_load_explicit(&emu_initialised, memory_order_acquire))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (thread->in_host_function) {
        emu_misuse("%s called inside a host function", names[thread->call]);
        return CUDA_ERROR_NOT_PERMITTED;
    }
    if (need == NEEDS_INIT || (need == NEEDS_STREAM && !emu_settings.strict_context))
        return CUDA_SUCCESS;
    if (!thread->current)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!thread->current->retained)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return need == NEEDS_CONTEXT ? emu_context_broken(thread->current) : CUDA_SUCCESS;
}

CUresult emu_enter(call_t call, need_t need)
{
    thread_t *thread = emu_thread();
    thread->call = call;
    thread->calls[call]++;
    atomic_fetch_add_explicit(&calls[call], 1, memory_order_relaxed);
    CUresult result = emu_fault_of_call(call);
    return result != CUDA_SUCCESS ? result : may_call(thread, need);
}

void emu_count_blocked(void)
{
    thread_t *thread = emu_thread();
    thread->blocked[thread->call]++;
    atomic_fetch_add_explicit(&blocked[thread->call], 1, memory_order_relaxed);
}

void emu_misuse(const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    atomic_fetch_add_explicit(&misuses, 1, memory_order_relaxed);
    fprintf(stderr, "cudaemu: misuse: %s\n", text);
}

/* --- counts --------------------------------------------------------------------------------------------------- */

const char *emu_call_name(call_t call)
{
    return names[call];
}

uint64_t emu_calls_total(call_t call)
{
    return atomic_load_explicit(&calls[call], memory_order_relaxed);
}

uint64_t emu_blocked_total(call_t call)
{
    return atomic_load_explicit(&blocked[call], memory_order_relaxed);
}

uint64_t emu_misuses_total(void)
{
    return atomic_load_explicit(&misuses, memory_order_relaxed);
}

/* The sum over a function, or over all, of a count less what it was at the mark. */
static uint64_t since_mark(const char *name, uint64_t (*total)(call_t), const uint64_t *marked)
{
    int first = name ? (int)emu_call_of_name(name) : 0;
    int end = name ? first + 1 : N_CALLS;
    uint64_t sum = 0;
    emu_lock();
    for (int call = first; call < end; call++)
        sum += total((call_t)call) - marked[call];
    emu_unlock();
    return sum;
}

static uint64_t sum_of(const char *name, const uint64_t *counts)
{
    int first = name ? (int)emu_call_of_name(name) : 0;
    int end = name ? first + 1 : N_CALLS;
    uint64_t sum = 0;
    for (int call = first; call < end; call++)
        sum += counts[call];
    return sum;
}

uint64_t cudaemu_calls(const char *name)
{
    return since_mark(name, emu_calls_total, marked_calls);
}

uint64_t cudaemu_blocked(const char *name)
{
    return since_mark(name, emu_blocked_total, marked_blocked);
}

uint64_t cudaemu_thread_calls(const char *name)
{
    return sum_of(name, emu_thread()->calls);
}

uint64_t cudaemu_thread_blocked(const char *name)
{
    return sum_of(name, emu_thread()->blocked);
}

uint64_t cudaemu_misuses(void)
{
    return emu_misuses_total();
}

void cudaemu_mark(void)
{
    thread_t *thread = emu_thread();
    memset(thread->calls, 0, sizeof thread->calls);
    memset(thread->blocked, 0, sizeof thread->blocked);
    emu_lock();
    for (int call = 0; call < N_CALLS; call++) {
        marked_calls[call] = emu_calls_total((call_t)call);
        marked_blocked[call] = emu_blocked_total((call_t)call);
    }
    emu_unlock();
}
