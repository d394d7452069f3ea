/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * omp_pause_resource and omp_pause_resource_all.
 *
 * A pause begins when all that the calling thread has launched is over. Of a device it frees memory that is kept for
 * reuse; a hard pause also what constructs have mapped, as by `exit data map(delete)`. Variables with declare target,
 * associations and memory of omp_target_alloc stay: it is allowed, not asked, to give them up.
 *
 * Of the host, a hard pause of libomp's is carried out as a soft one once regions have been launched. The devices'
 * threads are threads of libomp's too, so it would go on, but without the calling thread, which would go on under a
 * number that is nobody's any more, as any thread in whose code the compiler has kept it.
 */
#include <stdlib.h>

#include "core/devices.h"
#include "core/map_types.h"
#include "core/tool.h"
#include "omptarget/construct_run.h"
#include "omptarget/device_number.h"
#include "omptarget/omptarget.h"
#include "support/export.h"
#include "support/log.h"
#include "tasking/launcher.h"
#include "tasking/libomp.h"
#include "tasking/policy.h"
#include "tasking/shutdown.h"

enum { REFUSED = 1 };

static void unmap(nw_core_device_t *device, nw_map_range_t range)
{
    static const nw_ident_t here = {.psource = ";libomptarget;libomptarget;0;0;;"};
    int64_t size = (int64_t)range.size;
    uint64_t type = NW_MAP_DELETE;
    void *host = range.host;
    nw_map_args_t args = {.n = 1, .bases = &host, .ptrs = &host, .sizes = &size, .types = &type};
    nw_construct_run(device, &here, NW_DATA_END, &args, NULL);
}

static int pause_device(int kind, int number)
{
    nw_core_device_t *device = nw_devices_peek(number);
    if (!device)
        return REFUSED;
    /* One that has not been opened holds nothing. */
    if (atomic_load_explicit(&device->images_generation, memory_order_acquire) == 0)
        return 0;
    size_t n = 0;
    nw_map_range_t *ranges = kind == NW_PAUSE_HARD ? nw_map_table_ranges(&device->map, &n) : NULL;
    for (size_t i = 0; i < n; i++)
        unmap(device, ranges[i]);
    free(ranges);
    nw_buffer_pool_trim(&device->base.pool);
    return 0;
}

static int pause_host(int kind)
{
    const nw_libomp_t *omp = nw_libomp();
    if (!nw_shutdown_is_prepared())
        return omp->pause(kind);
    /* libomp refuses a pause after a pause, until a team is formed. */
    (void)omp->pause(NW_PAUSE_RESUME);
    return omp->pause(NW_PAUSE_SOFT);
}

/* Brings the calling thread to rest. Returns false if the pause can't be. */
static bool begin(int kind)
{
    const nw_libomp_t *omp = nw_libomp();
    if ((kind != NW_PAUSE_HARD && kind != NW_PAUSE_SOFT) || omp->level() > 0 || omp->num_threads() > 1)
        return false;
    if (nw_shutdown_is_prepared())
        nw_launcher_finish(true);
    return true;
}

NW_EXPORT int omp_pause_resource(int kind, int device)
{
    NW_TOOL_ENTER();
    if (!begin(kind))
        return nw_device_number_is_host(device) ? nw_libomp()->pause(kind) : REFUSED;
    return nw_device_number_is_host(device) ? pause_host(kind) : pause_device(kind, device);
}

NW_EXPORT int omp_pause_resource_all(int kind)
{
    NW_TOOL_ENTER();
    if (!begin(kind))
        return nw_libomp()->pause(kind);
    int refused = 0;
    for (int i = 0; i < nw_policy_device_count(); i++)
        refused |= pause_device(kind, i);
    return pause_host(kind) != 0 || refused;
}
