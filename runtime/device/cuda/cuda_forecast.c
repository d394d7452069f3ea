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

static int64_t margin = FIRST_MARGIN_NS;

int64_t nw_cuda_forecast_margin(void)
{
    return margin;
}

void nw_cuda_forecast_begins(nw_cuda_stream_t *stream, int64_t now, bool is_seen)
{
    stream->since = is_seen ? now : 0;
}

/* The lower end of what it took: waking early costs some looking, waking late costs the program time. */
void nw_cuda_forecast_over(const nw_cuda_stream_t *stream, int64_t now, bool slept)
{
    const nw_work_t *work = stream->first;
    /* What came and was over in the same look may have waited for it. */
    if (!work->has_kernel || (work->state.phase & NW_CUDA_AGAIN) || stream->since == 0 || now == stream->since)
        return;
    nw_kernel_t *kernel = work->launch.kernel;
    int64_t took = now - stream->since, before = kernel->expected_ns;
    int64_t after = before == 0 || took < before ? took : before + (took - before) / 16;
    /* The launching threads read the kernel: it is not written for a trifle. */
    if (took > before - before / 32 && took < before + before / 32)
        after = before;
    bool as_expected = !slept && before != 0 && took > before - margin && took < before + margin;
    uint32_t times = !as_expected ? 0 : kernel->times_right < SURE ? kernel->times_right + 1 : SURE;
    /* What is so short is over before the thread has looked for long enough to sleep. */
    if (after < nw_settings.spin)
        after = 0;
    if (after != before)
        kernel->expected_ns = after;
    if (times != kernel->times_right)
        kernel->times_right = times;
}

int64_t nw_cuda_forecast_next(const nw_cuda_stream_t *busy, int64_t now, bool *sure_p)
{
    int64_t next = NW_CUDA_FORECAST_NONE;
    *sure_p = true;
    for (const nw_cuda_stream_t *stream = busy; stream; stream = stream->next_busy) {
        const nw_work_t *work = stream->first;
        int64_t expected = work->has_kernel ? work->launch.kernel->expected_ns : 0;
        int64_t end = stream->since + expected;
        bool is_expected = expected > 0 && stream->since > 0 && end + margin > now;
        if (!is_expected || work->launch.kernel->times_right < SURE)
            *sure_p = false;
        if (is_expected && end < next)
            next = end;
    }
    return next;
}

void nw_cuda_forecast_woke(int64_t planned, int64_t now)
{
    int64_t needed = now - planned + RESERVE_NS;
    margin = needed > margin ? needed : margin - (margin - needed) / 8;
    margin = margin < LEAST_MARGIN_NS ? LEAST_MARGIN_NS : margin > MOST_MARGIN_NS ? MOST_MARGIN_NS : margin;
}
