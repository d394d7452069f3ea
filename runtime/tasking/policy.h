/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a construct runs: OMP_TARGET_OFFLOAD, device numbers, and what happens when neither fits (OpenMP 5.2, 1.3 and
 * 21.2.9; LLVM's reading: once there is a device, "default" means "mandatory"). */
#ifndef NW_POLICY_H
#define NW_POLICY_H

#include <stdint.h>

#include "core/devices.h"
#include "support/ident.h"

/* The host: a construct runs its host version. */
#define NW_HOST_DEVICE (-1)

/* Device argument that means the default device (OMP_DEVICEID_UNDEF). */
#define NW_DEFAULT_DEVICE (-1)

/*
 * Returns the device that a construct's device argument names, or NW_HOST_DEVICE. Ends the program with the construct's
 * place if there is no such device and the policy is mandatory.
 * Threads: any; the default device is the calling task's. Blocks: the first time, to probe the devices.
 */
int64_t nw_policy_device(const nw_ident_t *loc, int64_t device);

/* Returns a device that nw_policy_device has named, ready for use; NULL for NW_HOST_DEVICE. Ends the program with the
 * construct's place if the device can't be used. Blocks: as nw_devices_get. */
nw_core_device_t *nw_policy_open(const nw_ident_t *loc, int64_t device);

/* Returns the number of devices that the program may use: none if offloading is disabled. */
int nw_policy_device_count(void);

#endif
