/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/transfer_task.h"

#include <string.h>

#include "support/log.h"
#include "tasking/policy.h"
#include "tasking/target_task.h"

static nw_ident_t place = {.flags = 2, .psource = ";unknown;unknown;0;0;;"};

/* The task's memory: libomp's head, the transfer, its dimensions; the slot follows. */
typedef struct transfer_task {
    nw_kmp_task_t head;
    nw_transfer_t transfer;
    nw_transfer_dim_t dims[];
} transfer_task_t;

static int32_t entry(int32_t gtid, void *task_memory)
{
    transfer_task_t *task = task_memory;
    nw_slot_t *slot = nw_target_task_slot(&task->head);
    if (nw_target_task_dispatch_transfer(slot, gtid, &place, &task->transfer))
        return 0;
    nw_status_t status = nw_transfer_run(&task->transfer);
    if (status != NW_OK)
        nw_fatal(&place, "asynchronous copy failed: %s", nw_status_text(status));
    return 0;
}

void nw_transfer_task_start(const nw_transfer_t *transfer, int32_t n_deps, struct nowait_depend_info *deps)
{
    nw_core_device_t *carrier = nw_transfer_carrier(transfer);
    int32_t gtid = nw_libomp()->global_thread_num(&place);
    size_t dims_size = (size_t)transfer->n_dims * sizeof *transfer->dims;
    nw_kmp_task_t *head = nw_target_task_alloc(&(nw_task_request_t){
        .loc = &place,
        .gtid = gtid,
        .flags = NW_KMP_TIED,
        .sizeof_task = sizeof(transfer_task_t) + dims_size,
        .entry = entry,
        .device = carrier ? carrier->base.number : nw_policy_device_count(),
        .plugin = true,
    });
    transfer_task_t *task = (transfer_task_t *)head;
    task->transfer = *transfer;
    task->transfer.dims = task->dims;
    if (dims_size > 0)
        memcpy(task->dims, transfer->dims, dims_size);
    (void)nw_target_task_submit(&place, gtid, head, n_deps > 0, n_deps, deps, 0, NULL);
}
