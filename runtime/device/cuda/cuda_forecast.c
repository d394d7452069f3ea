/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_forecast.h"

#include "device/cuda/cuda_work.h"
#include "support/settings.h"

/* What a sleep may take longer than asked for, to begin with; and the limits of the margin. */
#define FIRST_MARGIN_NS 50000
#define LEAST_MARGIN_NS 30000
#define MOST_MARGIN_NS 150000
/* Beyond a sleep's own lateness. */
#define RESERVE_NS 15000
/* A forecast that has come true so many times in turn is relied on. */
#define SURE 4u

static _Atomic int64_t margin = FIRST_MARGIN_NS;

int64_t nw_cuda_forecast_margin(void)
{
    return atomic_load_explicit(&margin, memory_order_relaxed);
}

int64_t nw_cuda_forecast_of(const nw_work_t *work)
{
    return work->has_kernel ? atomic_load_explicit(&work->launch.kernel->expected_ns, memory_order_relaxed) : 0;
}

static bool is_sure(const nw_work_t *work)
{
    return atomic_load_explicit(&work->launch.kernel->times_right, memory_order_relaxed) >= SURE;
}

void nw_cuda_forecast_begins(nw_cuda_stream_t *stream, int64_t now, bool is_seen)
{
    stream->since = is_seen ? now : 0;
}

/* The lower end of what it took: waking early costs some looking, waking late costs the program time. */
void nw_cuda_forecast_learn(const nw_work_t *work, int64_t took, bool slept)
{
    if (!work->has_kernel || (work->state.phase & NW_CUDA_AGAIN))
        return;
    nw_kernel_t *kernel = work->launch.kernel;
    int64_t before = nw_cuda_forecast_of(work), reach = nw_cuda_forecast_margin();
    uint32_t times_before = atomic_load_explicit(&kernel->times_right, memory_order_relaxed);
    int64_t after = before == 0 || took < before ? took : before + (took - before) / 16;
    /* The launching threads read the kernel: it is not written for a trifle. */
    if (took > before - before / 32 && took < before + before / 32)
        after = before;
    bool as_expected = !slept && before != 0 && took > before - reach && took < before + reach;
    uint32_t times = !as_expected ? 0 : times_before < SURE ? times_before + 1 : SURE;
    /* What is so short is over before the thread has looked for long enough to sleep. */
    if (after < nw_settings.spin)
        after = 0;
    if (after != before)
        atomic_store_explicit(&kernel->expected_ns, after, memory_order_relaxed);
    if (times != times_before)
        atomic_store_explicit(&kernel->times_right, times, memory_order_relaxed);
}

void nw_cuda_forecast_over(const nw_cuda_stream_t *stream, int64_t now, bool slept)
{
    /* What came and was over in the same look may have waited for it. */
    if (stream->since != 0 && now != stream->since)
        nw_cuda_forecast_learn(stream->first, now - stream->since, slept);
}

int64_t nw_cuda_forecast_next(const nw_cuda_stream_t *busy, int64_t now, bool *sure_p)
{
    int64_t next = NW_CUDA_FORECAST_NONE, reach = nw_cuda_forecast_margin();
    *sure_p = true;
    for (const nw_cuda_stream_t *stream = busy; stream; stream = stream->next_busy) {
        const nw_work_t *work = stream->first;
        int64_t expected = nw_cuda_forecast_of(work);
        int64_t end = stream->since + expected;
        bool is_expected = expected > 0 && stream->since > 0 && end + reach > now;
        if (!is_expected || !is_sure(work))
            *sure_p = false;
        if (is_expected && end < next)
            next = end;
    }
    return next;
}

void nw_cuda_forecast_woke(int64_t planned, int64_t now)
{
    int64_t needed = now - planned + RESERVE_NS, before = nw_cuda_forecast_margin();
    int64_t after = needed > before ? needed : before - (before - needed) / 8;
    after = after < LEAST_MARGIN_NS ? LEAST_MARGIN_NS : after > MOST_MARGIN_NS ? MOST_MARGIN_NS : after;
    if (after != before)
        atomic_store_explicit(&margin, after, memory_order_relaxed);
}
