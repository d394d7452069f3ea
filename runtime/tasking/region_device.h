/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which device the running code is a region of, for CPU devices, whose kernels are ordinary functions of the process.
 *
 * A kernel may start teams and tasks of its own, on any of libomp's threads, and the thread that runs it may run other
 * host tasks while it waits in the kernel. So the answer is kept where libomp hands it on with each task: in the
 * default-device-var of the task's data environment, which a region has no other use for (OpenMP 5.2, 18.7.2).
 */
#ifndef NW_REGION_DEVICE_H
#define NW_REGION_DEVICE_H

#include <stdbool.h>

/* Makes the devices mark their kernels from now on. Threads: any. */
void nw_region_device_prepare(void);

/* The number of the device whose region the calling task belongs to; -1: none, it is on the host. Threads: any. */
int nw_region_device_current(void);

/*
 * Whether a region without nowait that a thread of a parallel region meets has to run on a thread of the device, as one
 * with nowait does. `teams`: it may be a teams construct.
 *
 * libomp expects teams outside of any parallel region. Inside one, with a single team, a reduction over teams takes the
 * threads of the enclosing team for teams (__kmp_swap_teams_for_teams_reduction): it meets them at their barrier, with
 * whatever each of them is doing. With several, threads that have served as teams keep that state when they go back to
 * libomp's pool, and a team that one of them joins later takes its parallel constructs for a league's (th_teams_level),
 * or has no size at hand (th_set_nproc). A device's thread is in no parallel region, and the state that teams leave
 * behind there means nothing at any other level.
 */
bool nw_region_must_leave_team(bool teams);

/* What omp_get_default_device has to answer: in a region the region's own device. Threads: any. */
int nw_region_device_default(void);

#endif
