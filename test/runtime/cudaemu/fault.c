/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/fault.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cudaemu/calls.h"
#include "cudaemu/context.h"
#include "cudaemu/error.h"
#include "cudaemu/settings.h"

/* A fault that is still to come, or goes on. */
typedef struct fault {
    bool of_kernel;
    call_t call;
    char *pattern; /* of kernels; NULL: any */
    uint64_t left; /* calls until it comes: 1, the next */
    bool ever;
    CUresult result;
    struct fault *next;
} fault_t;

typedef struct kernel_time {
    char *pattern;
    uint64_t ns;
    struct kernel_time *next;
} kernel_time_t;

static fault_t *faults;                /* lock held */
static _Atomic uint32_t n_call_faults; /* so that a call without any needs no lock */
static _Atomic uint64_t delays[N_CALLS];
static kernel_time_t *kernel_times; /* newest first */
static uint64_t times_version = 1;

call_t emu_call_of_name(const char *name)
{
    for (int call = 0; call < N_CALLS; call++) {
        if (strcmp(emu_call_name((call_t)call), name) == 0)
            return (call_t)call;
    }
    emu_die("no function '%s' is emulated", name);
}

static void add_fault(fault_t fault)
{
    if (fault.left == 0)
        emu_die("a fault's count begins with 1");
    fault_t *new = emu_alloc(sizeof *new);
    *new = fault;
    emu_lock();
    new->next = faults;
    faults = new;
    if (!fault.of_kernel)
        atomic_fetch_add_explicit(&n_call_faults, 1, memory_order_relaxed);
    emu_unlock();
}

static void remove_fault(fault_t **place)
{
    fault_t *fault = *place;
    *place = fault->next;
    if (!fault->of_kernel)
        atomic_fetch_sub_explicit(&n_call_faults, 1, memory_order_relaxed);
    free(fault->pattern);
    free(fault);
}

/* Counts a call or launch against the faults it matches. Lock held. */
static CUresult count_down(bool of_kernel, call_t call, const char *kernel)
{
    CUresult result = CUDA_SUCCESS;
    for (fault_t **place = &faults; *place;) {
        fault_t *fault = *place;
        bool matches = fault->of_kernel == of_kernel &&
                       (of_kernel ? !fault->pattern || fnmatch(fault->pattern, kernel, 0) == 0 : fault->call == call);
        if (!matches || (fault->left > 1 && --fault->left > 0)) {
            place = &fault->next;
            continue;
        }
        if (result == CUDA_SUCCESS)
            result = fault->result;
        if (fault->ever)
            place = &fault->next;
        else
            remove_fault(place);
    }
    return result;
}

static uint64_t time_of_call(call_t call)
{
    uint64_t ns = atomic_load_explicit(&delays[call], memory_order_relaxed);
    return ns < emu_settings.call_ns ? emu_settings.call_ns : ns;
}

/* Waits for the rest of the call's time, which may change meanwhile; the last stretch spinning. */
static void spend_time_of_call(call_t call)
{
    const uint64_t spin_ns = 50000, slice_ns = 10000000;
    uint64_t begin = emu_now(), now = begin, ns;
    _Atomic uint32_t never = 0;
    while ((ns = time_of_call(call)) > now - begin) {
        uint64_t left = ns - (now - begin);
        if (left > 2 * spin_ns)
            emu_sleep(&never, now + (left < slice_ns ? left - spin_ns : slice_ns));
        else
            __builtin_ia32_pause();
        now = emu_now();
    }
}

CUresult emu_fault_of_call(call_t call)
{
    if (time_of_call(call))
        spend_time_of_call(call);
    if (atomic_load_explicit(&n_call_faults, memory_order_relaxed) == 0)
        return CUDA_SUCCESS;
    emu_lock();
    CUresult result = count_down(false, call, NULL);
    emu_unlock();
    return result;
}

CUresult emu_fault_of_kernel(const char *name)
{
    return faults ? count_down(true, N_CALLS, name) : CUDA_SUCCESS;
}

uint64_t emu_kernel_time(const char *name)
{
    for (kernel_time_t *time = kernel_times; time; time = time->next) {
        if (fnmatch(time->pattern, name, 0) == 0)
            return time->ns;
    }
    return emu_settings.launch_ns;
}

uint64_t emu_kernel_times_version(void)
{
    return times_version;
}

void emu_kernel_time_add(const char *pattern, uint64_t ns)
{
    kernel_time_t *time = emu_alloc(sizeof *time);
    time->pattern = strdup(pattern);
    time->ns = ns;
    time->next = kernel_times;
    kernel_times = time;
    times_version++;
}

void emu_delay_set(const char *name, uint64_t ns)
{
    atomic_store_explicit(&delays[emu_call_of_name(name)], ns, memory_order_relaxed);
}

void emu_fault_parse(const char *what, const char *result)
{
    const char *at = strrchr(what, '@');
    char *end;
    if (!at)
        emu_die("CUDAEMU_FAIL: '%s' has no @count", what);
    fault_t fault = {.left = strtoull(at + 1, &end, 10), .result = emu_result_of_text(result)};
    fault.ever = *end == '+';
    if (end == at + 1 || end[fault.ever])
        emu_die("CUDAEMU_FAIL: '%s' has no count behind its @", what);
    char *name = strndup(what, (size_t)(at - what));
    if (strncmp(name, "kernel:", 7) == 0) {
        fault.of_kernel = true;
        fault.pattern = strdup(name + 7);
    } else {
        fault.call = emu_call_of_name(name);
    }
    free(name);
    add_fault(fault);
}

void cudaemu_fail(const char *name, uint64_t nth, int ever, CUresult result)
{
    add_fault((fault_t){.call = emu_call_of_name(name), .left = nth, .ever = ever, .result = result});
}

void cudaemu_fail_kernel(const char *pattern, uint64_t nth, CUresult result)
{
    add_fault((fault_t){.of_kernel = true, .pattern = pattern ? strdup(pattern) : NULL, .left = nth, .result = result});
}

void cudaemu_delay(const char *name, uint64_t ns)
{
    emu_delay_set(name, ns);
}

void cudaemu_kernel_time(const char *pattern, uint64_t ns)
{
    emu_lock();
    emu_kernel_time_add(pattern ? pattern : "*", ns);
    emu_unlock();
}

void cudaemu_heal(void)
{
    emu_lock();
    while (faults)
        remove_fault(&faults);
    for (size_t i = 0; i < N_CALLS; i++)
        atomic_store_explicit(&delays[i], 0, memory_order_relaxed);
    for (size_t i = 0; i < MAX_DEVICES; i++)
        emu_contexts[i].broken = CUDA_SUCCESS;
    emu_unlock();
}
