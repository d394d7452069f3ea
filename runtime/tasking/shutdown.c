/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/shutdown.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "core/devices.h"
#include "core/interop_object.h"
#include "core/stats.h"
#include "device/device_thread.h"
#include "support/loader.h"
#include "support/log.h"
#include "support/trace.h"
#include "tasking/libomp.h"
#include "tasking/region_device.h"
#include "tasking/target_task.h"
#include "tasking/tool_connect.h"

static atomic_flag finished = ATOMIC_FLAG_INIT;

/* The libraries' ends have begun, libomp's is over: ours comes later, as nothing here says that it needs libomp. */
static _Atomic bool is_late;

static __attribute__((destructor)) void note_end_of_libraries(void)
{
    atomic_store(&is_late, true);
}

static nw_ident_t nowhere = {.flags = 2, .psource = ";unknown;unknown;0;0;;"};

/* The calling thread's. Initialises libomp, if need be. */
static int32_t number_in_libomp(const nw_libomp_t *omp)
{
    return omp->global_thread_num(&nowhere);
}

/*
 * Runs at exit, before the handlers that were registered earlier: those of the program's constructors, which take the
 * images back, and libomp's own end.
 */
static void finish_everything(int exit_status, void *unused)
{
    (void)unused;
    const nw_libomp_t *omp = nw_libomp_if_loaded();
    if (nw_is_dying() || !omp || atomic_flag_test_and_set(&finished))
        return;
    /* Registered only by a library's constructor: there is no libomp any more to wait with. */
    if (atomic_load(&is_late))
        return;
    /* Neither this region nor libomp's own end, which waits for it, would ever be over. */
    if (nw_device_thread_is_current()) {
        nw_log(NW_LOG_WARNING, "exit was called inside a target region: the program ends here, without waiting for "
                               "other regions and without its exit handlers");
        nw_leave(exit_status);
    }
    int32_t gtid = number_in_libomp(omp);
    /* Tasks that still wait for others are started as those end: this thread has to help, like at a barrier. */
    omp->taskwait(&nowhere, gtid);
    while (nw_stats_in_flight() > 0 && !nw_is_dying()) {
        omp->taskyield(&nowhere, gtid, 0);
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    nw_stats_print();
    nw_interop_end();
    nw_devices_close();
    nw_trace_end();
}

static void register_end(void)
{
    if (on_exit(finish_everything, NULL) != 0)
        nw_log(NW_LOG_WARNING, "no exit handler can be registered; call taskwait before the program ends");
}

static void after_fork(void)
{
    nw_trace_after_fork();
    nw_stats_forget_regions();
    nw_devices_after_fork();
    nw_target_task_after_fork();
}

static _Atomic bool prepared;

static _Thread_local bool preparing;

static void prepare(void *unused)
{
    (void)unused;
    if (atomic_load_explicit(&prepared, memory_order_relaxed))
        return;
    nw_tool_connect();
    nw_region_device_prepare();
    nw_target_task_prepare();
    nw_trace_start();
    register_end();
    if (pthread_atfork(NULL, NULL, after_fork) != 0)
        nw_log(NW_LOG_WARNING, "no handler for fork can be registered; a child process must not use regions");
    /* Release pairs with the acquire below: the tool's callbacks are visible. */
    atomic_store_explicit(&prepared, true, memory_order_release);
}

bool nw_shutdown_is_prepared(void)
{
    return atomic_load_explicit(&prepared, memory_order_acquire);
}

void nw_shutdown_image_comes(void)
{
    if (atomic_load_explicit(&prepared, memory_order_relaxed))
        register_end();
}

void nw_shutdown_prepare(void)
{
    /* A tool that is just being started may use a device, although it should not. */
    if (NW_LIKELY(atomic_load_explicit(&prepared, memory_order_acquire)) || preparing)
        return;
    preparing = true;
    /* First of all libomp, whose own end must come after ours. It asks the loader while it holds a lock of its own, so
     * it must be ready before this thread has the loader's. */
    const nw_libomp_t *omp = nw_libomp_if_loaded();
    if (omp)
        (void)number_in_libomp(omp);
    nw_loader_locked(prepare, NULL);
    preparing = false;
}
