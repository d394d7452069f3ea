/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/device_thread.h"

#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/trace.h"

/* As in sched_setattr(2). Linux's own header can't be included beside the C library's. */
typedef struct sched_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; /* ns */
} sched_attributes_t;

static _Thread_local bool serves;

void nw_device_thread_begin(const char *name)
{
    nw_trace_name_thread(name);
    serves = true;
}

void nw_device_thread_be_punctual(void)
{
    /* Linux otherwise makes each sleep up to 50 us longer. */
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

void nw_device_thread_be_prompt(void)
{
    nw_device_thread_be_punctual();
    /* Linux lets who runs finish a slice of some milliseconds, unless the slice of the one that wakes is shorter. This
     * is the shortest that there is. */
    sched_attributes_t attributes = {.size = sizeof attributes};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 ||
        attributes.policy != SCHED_OTHER)
        return;
    attributes.runtime = 100000;
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

bool nw_device_thread_is_current(void)
{
    return serves;
}
