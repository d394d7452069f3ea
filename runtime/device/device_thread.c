/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/device_thread.h"

#include <sys/prctl.h>

#include "support/processors.h"
#include "support/time_slice.h"

static _Thread_local bool serves, has_met_libomp;

void nw_device_thread_begin(const char *name)
{
    nw_processors_use_all();
    prctl(PR_SET_NAME, name, 0, 0, 0);
    serves = true;
}

void nw_device_thread_met_libomp(void)
{
    if (has_met_libomp || !serves)
        return;
    has_met_libomp = true;
    nw_processors_use_all();
}

void nw_device_thread_be_punctual(void)
{
    /* Linux otherwise makes each sleep up to 50 us longer. */
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

void nw_device_thread_be_prompt(void)
{
    nw_device_thread_be_punctual();
    nw_time_slice_shorten(true);
}

bool nw_device_thread_is_current(void)
{
    return serves;
}
