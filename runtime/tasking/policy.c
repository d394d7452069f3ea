/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/policy.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "core/devices.h"
#include "support/log.h"
#include "support/reason.h"
#include "tasking/libomp.h"
#include "tasking/region_device.h"

/* An older number for the initial device that programs of LLVM 11 and before may hold. */
#define OLD_INITIAL_DEVICE (-10)

enum { OFFLOAD_DISABLED, OFFLOAD_DEFAULT, OFFLOAD_MANDATORY };

static int32_t offload(void)
{
    static _Atomic int32_t known = -1;
    int32_t value = atomic_load_explicit(&known, memory_order_relaxed);
    if (NW_UNLIKELY(value < 0)) {
        value = nw_libomp()->target_offload();
        atomic_store_explicit(&known, value, memory_order_relaxed);
    }
    return value;
}

int64_t nw_policy_device(const nw_ident_t *loc, int64_t device)
{
    int32_t policy = offload();
    if (policy == OFFLOAD_DISABLED)
        return NW_HOST_DEVICE;
    int n = nw_devices_count();
    if (NW_UNLIKELY(n == 0)) {
        if (policy == OFFLOAD_MANDATORY)
            nw_fatal(loc, "there is no device, and OMP_TARGET_OFFLOAD=mandatory forbids to run on the host");
        return NW_HOST_DEVICE;
    }
    if (device == NW_DEFAULT_DEVICE)
        device = nw_region_device_default();
    if (NW_LIKELY(device >= 0 && device < n))
        return device;
    if (device == n || device == OLD_INITIAL_DEVICE)
        return NW_HOST_DEVICE;
    nw_fatal(loc, "there is no device %" PRId64 ": devices are numbered 0 to %d, and %d is the host", device, n - 1, n);
}

nw_core_device_t *nw_policy_open(const nw_ident_t *loc, int64_t device)
{
    if (device == NW_HOST_DEVICE)
        return NULL;
    nw_core_device_t *found = nw_devices_get(device);
    if (NW_UNLIKELY(!found))
        nw_fatal(loc, "%s", nw_reason_take("the device cannot be used"));
    return found;
}

int nw_policy_device_count(void)
{
    return offload() == OFFLOAD_DISABLED ? 0 : nw_devices_count();
}
