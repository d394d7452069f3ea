/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The time slice that a thread of the ordinary policy asks for (Linux 6.12; sched_setattr(2)). Linux lets who runs
 * finish a slice of some milliseconds, unless the slice of the one that wakes is shorter.
 */
#ifndef NW_TIME_SLICE_H
#define NW_TIME_SLICE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The shortest that there is. */
#define NW_SHORTEST_TIME_SLICE_NS 100000

/* As in sched_setattr(2). Linux's own header can't be included beside the C library's. */
typedef struct nw_sched_attributes {
    uint32_t size, policy;
    uint64_t flags; /* 1: threads that this one starts don't have it */
    int32_t nice;
    uint32_t priority;
    uint64_t slice, deadline, period; /* ns */
} nw_sched_attributes_t;

static inline bool nw_sched_attributes_get(nw_sched_attributes_t *attributes)
{
    *attributes = (nw_sched_attributes_t){.size = sizeof *attributes};
    return syscall(SYS_sched_getattr, 0, attributes, sizeof *attributes, 0) == 0;
}

/* Gives the calling thread the shortest slice; where the system or the thread's policy has none, it stays as it is.
 * inherited: so will threads that it starts. */
static inline void nw_time_slice_shorten(bool inherited)
{
    nw_sched_attributes_t attributes;
    if (!nw_sched_attributes_get(&attributes) || attributes.policy != SCHED_OTHER)
        return;
    attributes.slice = NW_SHORTEST_TIME_SLICE_NS;
    if (!inherited)
        attributes.flags |= 1;
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

#endif
