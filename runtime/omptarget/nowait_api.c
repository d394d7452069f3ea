/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library's own public functions, and its beginning. */
#include <stdio.h>

#include "core/devices.h"
#include "nowait/abi.h"
#include "nowait/nowait.h"
#include "support/export.h"
#include "support/processors.h"
#include "support/reason.h"
#include "support/settings.h"
#include "tasking/libomp.h"

/* Before the constructors of the program, which register its images and may run regions. */
__attribute__((constructor(101))) static void begin(void)
{
    if (nw_settings_libomp_binds())
        nw_processors_remember();
    nw_settings_init_from_environment();
    nw_settings_mend_libomps();
}

NW_EXPORT const char *nowait_version(void)
{
    return NOWAIT_VERSION;
}

NW_EXPORT unsigned nowait_abi_version(void)
{
    return NOWAIT_ABI_VERSION;
}

NW_EXPORT const char *nowait_libomp_description(void)
{
    static char text[96];
    const nw_libomp_t *omp = nw_libomp_if_loaded();
    if (!omp)
        return "not loaded, or too old";
    snprintf(text, sizeof text, "%s (proxy tasks%s)", omp->file, omp->target_async_handle ? ", async handles" : "");
    return text;
}

NW_EXPORT size_t nowait_setting_count(void)
{
    return nw_setting_count();
}

NW_EXPORT int nowait_setting_get(size_t i, struct nowait_setting *setting_p)
{
    return nw_setting_describe(i, setting_p) ? 0 : -1;
}

NW_EXPORT int nowait_device_count(void)
{
    return nw_devices_count();
}

NW_EXPORT int nowait_device_get(int number, struct nowait_device *device_p)
{
    nw_core_device_t *device = nw_devices_get(number);
    if (!device) {
        const char *why = nw_reason_take(NULL);
        if (why)
            nw_log(NW_LOG_ERROR, "%s", why);
        return -1;
    }
    *device_p = (struct nowait_device){
        .number = number,
        .kind = device->base.ops->kind,
        .name = device->base.name,
        .bytes_live = atomic_load_explicit(&device->base.pool.live, memory_order_relaxed),
        .bytes_peak = atomic_load_explicit(&device->base.pool.peak, memory_order_relaxed),
    };
    return 0;
}
