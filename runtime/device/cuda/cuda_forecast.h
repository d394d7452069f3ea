/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * When the works in flight will be over, by the time that their kernels took before. Being woken by the driver costs
 * two threads' wake-ups, as much as a short kernel; so the progress thread rather sleeps until shortly before a work is
 * expected to be over, and looks for it from then on. So does a thread that waits for a work of its own
 * (cuda_waiter.h). What is about streams is the progress thread's own; the rest is for any.
 */
#ifndef NW_CUDA_FORECAST_H
#define NW_CUDA_FORECAST_H

#include "device/cuda/cuda_state.h"

/* No work's end is expected. */
#define NW_CUDA_FORECAST_NONE INT64_MAX

/* The stream's oldest work has become that at `now`. is_seen: it was, as far as can be seen; not if the work before
 * may have been over for a while, so that this one's time says nothing. */
void nw_cuda_forecast_begins(nw_cuda_stream_t *stream, int64_t now, bool is_seen);

/* The stream's oldest work has been found over at `now`. slept: the thread has not looked since it slept, so the work
 * may have been over for a while. */
void nw_cuda_forecast_over(const nw_cuda_stream_t *stream, int64_t now, bool slept);

/* When the next work of these busy streams is expected to be over, if that is not long past; else
 * NW_CUDA_FORECAST_NONE. In *sure_p whether something is expected of each of them, and has come true some times. */
int64_t nw_cuda_forecast_next(const nw_cuda_stream_t *busy, int64_t now, bool *sure_p);

/* What the work is expected to take on the GPU, in nanoseconds; 0: not known, or less than NOWAIT_SPIN. */
int64_t nw_cuda_forecast_of(const nw_work_t *work);

/* The work took so long from when nothing was before it on its stream until it was found over; slept: as above. */
void nw_cuda_forecast_learn(const nw_work_t *work, int64_t took, bool slept);

/* So long before an expected end the thread should be awake, in nanoseconds, and so long behind it should it look. */
int64_t nw_cuda_forecast_margin(void);

/* The thread has slept until `now` although it wanted to be awake at `planned`, and nobody has woken it. */
void nw_cuda_forecast_woke(int64_t planned, int64_t now);

#endif
