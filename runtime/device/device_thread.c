/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/device_thread.h"

#include "support/trace.h"

static _Thread_local bool serves;

void nw_device_thread_begin(const char *name)
{
    nw_trace_name_thread(name);
    serves = true;
}

bool nw_device_thread_is_current(void)
{
    return serves;
}
