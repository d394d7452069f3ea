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

/* Makes the devices mark their kernels from now on. Threads: any. */
void nw_region_device_prepare(void);

/* The number of the device whose region the calling task belongs to; -1: none, it is on the host. Threads: any. */
int nw_region_device_current(void);

/* What omp_get_default_device has to answer: in a region the region's own device. Threads: any. */
int nw_region_device_default(void);

#endif
