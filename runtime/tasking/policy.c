/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/policy.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/devices.h"
#include "support/log.h"
#include "support/reason.h"
#include "support/settings.h"
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

/* Of a number that it can't hold, libomp makes the largest that it can: the words are those that the user wrote. */
static _Noreturn __attribute__((cold)) void no_such_device(const nw_ident_t *loc, int64_t device, bool is_default)
{
    char digits[24];
    const char *words = is_default && device == INT32_MAX ? nw_settings_default_device() : NULL;
    int n = nw_devices_count();
    snprintf(digits, sizeof digits, "%" PRId64, device);
    nw_fatal(loc, "there is no device %s: devices are numbered 0 to %d, and %d is the host", words ? words : digits,
             n - 1, n);
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
    bool is_default = device == NW_DEFAULT_DEVICE;
    if (is_default)
        device = nw_region_device_default();
    if (NW_LIKELY(device >= 0 && device < n))
        return device;
    if (device == n || device == OLD_INITIAL_DEVICE)
        return NW_HOST_DEVICE;
    no_such_device(loc, device, is_default);
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
