/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_waiter.h"

#include "device/cuda/cuda_backend.h"
#include "device/cuda/cuda_forecast.h"
#include "device/cuda/cuda_progress.h"
#include "device/cuda/cuda_stream.h"
#include "device/cuda/cuda_work.h"
#include "support/futex.h"
#include "support/nap.h"
#include "support/settings.h"
#include "support/spin.h"

/* A work that is expected to take longer is handed over at once, and any after this time: nobody would see that its
 * stream has failed. */
#define LONGEST_WAIT_NS 2000000

/* States of a waiter. */
enum { LOOKS, OVER, SLEEPS };

typedef struct waiter {
    _Atomic uint32_t state; /* it sleeps on this */
    nw_status_t status;
    bool has_looked;
    int64_t since; /* has_looked: see nw_cuda_waiter_since */
} waiter_t;

int64_t nw_cuda_waiter_since(const nw_work_t *work, int64_t now)
{
    const waiter_t *waiter = work->state.waiter;
    return waiter && waiter->has_looked ? waiter->since : now;
}

static void wake_waiter(nw_work_t *work, nw_status_t status)
{
    waiter_t *waiter = work->state.waiter;
    waiter->status = status;
    /* Release: the thread sees what the work's end has done. The waiter may be gone right after. */
    if (atomic_exchange_explicit(&waiter->state, OVER, memory_order_acq_rel) == SLEEPS)
        nw_futex_wake(&waiter->state, 1);
}

/* Sleeps until shortly before the work is expected to be over, if that is some time off. Returns whether it has, and
 * has *spin go on until shortly after that time. */
static bool sleep_for(int64_t expected, const waiter_t *waiter, nw_spin_t *spin)
{
    int64_t margin = nw_cuda_forecast_margin(), due = waiter->since + expected;
    spin->deadline = due + margin;
    if (due - margin <= nw_clock_ns())
        return false;
    nw_nap_until(due - margin);
    nw_cuda_forecast_woke(due - margin, nw_clock_ns());
    return true;
}

/* Looks for the end of a kept work for a while. Returns CUDA_ERROR_NOT_READY if it has not come. */
static CUresult look(nw_work_t *work, waiter_t *waiter)
{
    nw_cuda_stream_t *stream = work->state.queue;
    nw_spin_t spin = {0};
    bool slept = false;
    waiter->has_looked = true;
    int64_t expected = nw_cuda_forecast_of(work);
    int64_t longest = nw_settings.spin < LONGEST_WAIT_NS ? nw_settings.spin : LONGEST_WAIT_NS;
    if (work->state.phase & NW_CUDA_ALONE)
        waiter->since = nw_clock_ns();
    if (expected > LONGEST_WAIT_NS)
        return CUDA_ERROR_NOT_READY;
    if (expected > 0 && waiter->since > 0 && nw_settings.spin > 0 && !nw_spin_is_futile())
        slept = sleep_for(expected, waiter, &spin);
    CUresult result;
    while ((result = nw_cuda_stream_look(stream, work->state.ticket)) == CUDA_ERROR_NOT_READY) {
        slept = false; /* it was not over when the thread woke */
        if (!nw_spin(&spin, longest))
            return result;
    }
    if (result == CUDA_SUCCESS && waiter->since > 0 && expected > 0)
        nw_cuda_forecast_learn(work, nw_clock_ns() - waiter->since, slept);
    return result;
}

nw_status_t nw_cuda_execute(nw_device_t *device, nw_work_t *work)
{
    (void)device;
    waiter_t waiter = {.status = NW_OK};
    void (*done)(nw_work_t *, nw_status_t) = work->done;
    work->state.waiter = &waiter;
    work->done = wake_waiter;
    if (nw_cuda_work_submit_kept(work)) {
        CUresult result = look(work, &waiter);
        if (result != CUDA_ERROR_NOT_READY) {
            nw_cuda_work_passed(work, result);
            nw_cuda_progress_room();
        } else {
            nw_cuda_progress_watch(work);
        }
        nw_cuda_backend_help();
    }
    nw_spin_t spin = {0};
    uint32_t state;
    while ((state = atomic_load_explicit(&waiter.state, memory_order_acquire)) != OVER) {
        if (!waiter.has_looked && nw_spin(&spin, nw_settings.spin))
            continue;
        if (state == SLEEPS || atomic_compare_exchange_strong_explicit(&waiter.state, &state, SLEEPS,
                                                                       memory_order_relaxed, memory_order_relaxed))
            nw_futex_wait(&waiter.state, SLEEPS);
    }
    work->done = done;
    return waiter.status;
}
