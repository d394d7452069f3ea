/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions with the form of target tasks' entries, in an object of their own, which is built in several ways; see
 * test_entry_code_is_read.c. Nothing here runs. */
#include <stdint.h>

#include "entries.h"

int32_t __tgt_target_kernel(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args);
int32_t __tgt_target_teams_nowait_mapper(void *loc);
void __tgt_target_data_begin_mapper(void *loc);
void __tgt_target_data_update_nowait_mapper(void *loc);
void *__kmpc_task_reduction_get_th_data(int32_t gtid, void *taskgroup, void *data);
int32_t __kmpc_omp_taskwait(void *loc, int32_t gtid);

volatile int32_t region_on_host;

int32_t entry_of_kernel(int32_t gtid, void *task)
{
    if (__tgt_target_kernel(task, gtid, 0, 0, task, task) != 0)
        region_on_host++;
    return 0;
}

/* Lies between entries that dispatch. */
int32_t entry_of_host_version(int32_t gtid, void *task)
{
    region_on_host += gtid + __kmpc_omp_taskwait(task, gtid);
    return 0;
}

int32_t entry_of_update(int32_t gtid, void *task)
{
    (void)gtid;
    __tgt_target_data_update_nowait_mapper(task);
    return 0;
}

/* The data construct is none with nowait: this is a host version, too. */
int32_t entry_of_host_version_with_data(int32_t gtid, void *task)
{
    (void)gtid;
    __tgt_target_data_begin_mapper(task);
    return 0;
}

int32_t entry_of_reduction(int32_t gtid, void *task)
{
    void *copy = __kmpc_task_reduction_get_th_data(gtid, 0, task);
    return __tgt_target_kernel(copy, 0, 0, 0, task, task) != 0;
}

int32_t entry_of_host_reduction(int32_t gtid, void *task)
{
    return __kmpc_task_reduction_get_th_data(gtid, 0, task) != 0;
}

int32_t entry_of_older_kernel(int32_t gtid, void *task)
{
    (void)gtid;
    return __tgt_target_teams_nowait_mapper(task) != 0;
}

/* The address alone says nothing. */
int32_t entry_that_takes_an_address(int32_t gtid, void *task)
{
    (void)gtid;
    *(void **)task = (void *)(uintptr_t)__tgt_target_kernel;
    return 0;
}
