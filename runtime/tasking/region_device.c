/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/region_device.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/devices.h"
#include "device/device_state.h"
#include "device/device_thread.h"
#include "tasking/libomp.h"
#include "tasking/region_share.h"

/* The default device of a region's task is MARK + the number of the region's device: negative, since a program and
 * OMP_DEFAULT_DEVICE may give every other number. */
#define MARK INT32_MIN

static bool is_mark(int32_t word)
{
    return word < MARK + NW_MAX_DEVICES;
}

static int32_t enter(int number, int32_t n_running)
{
    const nw_libomp_t *omp = nw_libomp();
    if (n_running > 0)
        nw_region_share_take(n_running);
    int32_t before = omp->default_device();
    nw_device_thread_met_libomp();
    if (before != MARK + number)
        omp->set_default_device(MARK + number);
    return before;
}

/* A device's own thread keeps its mark: the next region is likely to be the same device's. */
static void leave(int32_t before)
{
    if (!is_mark(before))
        nw_libomp()->set_default_device(before);
}

void nw_region_device_prepare(void)
{
    static const nw_kernel_hooks_t hooks = {.enter = enter, .leave = leave};
    atomic_store_explicit(&nw_kernel_hooks, &hooks, memory_order_release);
}

int nw_region_device_current(void)
{
    const nw_libomp_t *omp = nw_libomp_if_loaded();
    int32_t word = omp ? omp->default_device() : 0;
    return is_mark(word) ? word - MARK : -1;
}

bool nw_region_must_leave_team(bool teams)
{
    /* A region inside a region has nobody to wait for: the devices' threads may all be waiting in the same way. */
    return teams && nw_libomp()->level() > 0 && nw_region_device_current() < 0;
}

int nw_region_device_default(void)
{
    int32_t word = nw_libomp()->default_device();
    return is_mark(word) ? word - MARK : word;
}
