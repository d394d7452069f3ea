/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asynchronous device memory routines (omp_target_memcpy_async and its kin) as target tasks. */
#ifndef NW_TRANSFER_TASK_H
#define NW_TRANSFER_TASK_H

#include "core/transfer.h"
#include "tasking/libomp.h"

/*
 * Makes a target task of the calling task's that carries out the transfer once what deps say is over, and completes it
 * like a deferred region. The transfer and its dimensions are copied.
 * Threads: any. Blocks: like a target construct with nowait; where no device can carry the transfer out (a program
 * without devices), it is an ordinary task of the host's.
 */
void nw_transfer_task_start(const nw_transfer_t *transfer, int32_t n_deps, struct nowait_depend_info *deps);

#endif
