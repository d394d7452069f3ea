/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The one thread of the process that finds out what the GPUs have finished.
 *
 * It looks at the oldest work of each busy stream. With nothing finished for NOWAIT_SPIN it asks the driver to call
 * back after the last work of each busy stream, and sleeps. A call back, a new work or something parked wakes it; it
 * also wakes from time to time to see failures, after which no call back comes.
 */
#ifndef NW_CUDA_PROGRESS_H
#define NW_CUDA_PROGRESS_H

#include "device/cuda/cuda_state.h"

/* Starts and stops the thread. Once it has stopped, works are served by nw_cuda_progress_help. */
nw_status_t nw_cuda_progress_start(void);
void nw_cuda_progress_stop(void);

/* Hands over a work that has gone into its stream. Threads: the one whose work it is. Blocks: never; one system call if
 * the thread sleeps. */
void nw_cuda_progress_watch(nw_work_t *work);

/* Keeps a work for which there is no room until there is. Blocks: never. */
void nw_cuda_progress_park(nw_work_t *work);

/* True if works are parked: later ones queue behind them. */
bool nw_cuda_progress_has_parked(void);

/* Says that there may be room for what is parked. */
void nw_cuda_progress_nudge(void);

/* A work is over that was not handed over: there may be room for what is parked. */
void nw_cuda_progress_room(void);

/* After a failure that leaves the GPU unusable: if a work in flight has caused it, the program ends here with that
 * work's place. Otherwise returns after a while. */
void nw_cuda_progress_blame(void);

/* Without a thread: does its work once. */
void nw_cuda_progress_help(void);

/* For the progress thread, inside of something that it has set off and that waits for works to be over: looks once.
 * Returns false if nothing has happened, or another thread calls. */
bool nw_cuda_progress_serve(void);

#endif
