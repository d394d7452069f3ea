/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_forecast.h"

#include "support/settings.h"

/* What a sleep may take longer than asked for, to begin with; and the limits of the margin. */
#define FIRST_MARGIN_NS 50000
#define LEAST_MARGIN_NS 30000
#define MOST_MARGIN_NS 150000
/* Beyond a sleep's own lateness. */
#define RESERVE_NS 15000

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
void nw_cuda_forecast_over(const nw_cuda_stream_t *stream, int64_t now)
{
    const nw_work_t *work = stream->first;
    if (!work->has_kernel || stream->since == 0)
        return;
    int64_t took = now - stream->since, *expected = &work->launch.kernel->expected_ns, before = *expected;
    int64_t after = before == 0 || took < before ? took : before + (took - before) / 16;
    /* What is so short is over before the thread has looked for long enough to sleep. */
    if (after < nw_settings.spin)
        after = 0;
    /* The launching threads read the kernel. */
    if (after != before)
        *expected = after;
}

int64_t nw_cuda_forecast_next(const nw_cuda_stream_t *busy, int64_t now, bool *all_p)
{
    int64_t next = NW_CUDA_FORECAST_NONE;
    *all_p = true;
    for (const nw_cuda_stream_t *stream = busy; stream; stream = stream->next_busy) {
        const nw_work_t *work = stream->first;
        int64_t expected = work->has_kernel ? work->launch.kernel->expected_ns : 0;
        int64_t end = stream->since + expected;
        if (expected == 0 || stream->since == 0 || end + margin <= now)
            *all_p = false;
        else if (end < next)
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
