/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device numbers as the arguments of OpenMP's device routines (OpenMP 5.2, 18.7 and 18.8). */
#ifndef NW_DEVICE_NUMBER_H
#define NW_DEVICE_NUMBER_H

#include "core/devices.h"

/* True for the numbers of the initial device: the count of devices, and omp_initial_device (-1). Without devices every
 * number means the host. Threads: any. */
bool nw_device_number_is_host(int device);

/* Returns the device, opened; NULL after one line that names the routine if there is none of that number.
 * Threads: any. Blocks: as nw_devices_get. */
nw_core_device_t *nw_device_number_open(int device, const char *routine);

#endif
