/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The threads of the CPU devices. Works wait in one queue without locks; a worker takes the oldest and runs its steps
 * in order. Every work is an in-order queue of its own, so independent works run side by side.
 *
 * Workers are started when work waits and none is idle, up to a limit. An idle worker looks for work for a bounded
 * time and then sleeps.
 */
#ifndef NW_HOST_WORKERS_H
#define NW_HOST_WORKERS_H

#include "device/device.h"

/* Starts the first worker. Called once before any push. `stack`: bytes for each worker; 16 MiB are the least. */
nw_status_t nw_host_workers_start(int64_t limit, int64_t spin_ns, int64_t stack);

/* Waits for running works, ends all workers. No push may follow. Blocks. */
void nw_host_workers_stop(void);

/* Queues a work; a worker will run it and call its `done`. Threads: any. Blocks: never; at most one system call, when
 * a sleeping worker has to be woken. */
void nw_host_workers_push(nw_work_t *work);

/* Runs a work's steps on the calling thread. */
nw_status_t nw_host_work_run(nw_work_t *work);

#endif
