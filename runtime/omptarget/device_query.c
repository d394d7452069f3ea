/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines that ask about devices and about what is present on them. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/images.h"
#include "core/map_table.h"
#include "core/requirements.h"
#include "omptarget/device_number.h"
#include "omptarget/omptarget.h"
#include "support/export.h"
#include "support/log.h"
#include "support/reason.h"
#include "support/settings.h"
#include "tasking/policy.h"
#include "tasking/region_device.h"
#include "tasking/shutdown.h"

/* omp_invalid_device of OpenMP 5.2. */
#define INVALID_DEVICE (-2)

bool nw_device_number_is_host(int device)
{
    int n = nw_policy_device_count();
    return device == n || device == -1 || n == 0;
}

static __attribute__((cold)) void complain(int device, const char *routine)
{
    const char *why = nw_reason_take(NULL);
    if (why)
        nw_log(NW_LOG_ERROR, "%s: %s", routine, why);
    else
        nw_log(NW_LOG_ERROR, "%s: there is no device %d: devices are numbered 0 to %d, and %d is the host", routine,
               device, nw_policy_device_count() - 1, nw_policy_device_count());
}

nw_core_device_t *nw_device_number_open(int device, const char *routine)
{
    nw_shutdown_prepare();
    nw_core_device_t *found = nw_devices_get(device);
    if (!found)
        complain(device, routine);
    return found;
}

NW_EXPORT int omp_get_num_devices(void)
{
    return nw_policy_device_count();
}

/* libomp asks for this name first. */
NW_EXPORT int __tgt_get_num_devices(void)
{
    return nw_policy_device_count();
}

NW_EXPORT int omp_get_initial_device(void)
{
    return nw_policy_device_count();
}

/* Code that was linked with libomp before libomptarget asks for libomp's version of the name. */
NW_EXPORT int omp_get_device_num(void)
{
    int number = nw_region_device_current();
    return number >= 0 ? number : nw_policy_device_count();
}

int nw_libomp_get_device_num(void);
NW_EXPORT_AS(nw_libomp_get_device_num, "omp_get_device_num@VERSION");
NW_EXPORT int nw_libomp_get_device_num(void)
{
    return omp_get_device_num();
}

/* libomp's, which keeps the device's number there while a region runs. */
NW_EXPORT int omp_get_default_device(void)
{
    return nw_region_device_default();
}

NW_EXPORT void __tgt_set_info_flag(uint32_t bits)
{
    nw_settings.info = bits;
}

/* Names that stay the same as long as the machine has the same devices: LLVM's form, "<kind>-<number>". */
static char uids[NW_MAX_DEVICES][32];

static void make_uids(void)
{
    for (int i = 0; i < nw_devices_count(); i++) {
        nw_core_device_t *device = nw_devices_peek(i);
        snprintf(uids[i], sizeof uids[i], "%s-%d", device->base.ops->kind, device->index);
    }
}

#define HOST_UID "HOST"

NW_EXPORT const char *omp_get_uid_from_device(int device)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (device == INVALID_DEVICE)
        return NULL;
    if (nw_device_number_is_host(device))
        return HOST_UID;
    pthread_once(&once, make_uids);
    if (device < 0 || device >= nw_devices_count()) {
        nw_log(NW_LOG_ERROR, "omp_get_uid_from_device: there is no device %d", device);
        return NULL;
    }
    return uids[device];
}

NW_EXPORT int omp_get_device_from_uid(const char *uid)
{
    if (!uid)
        return INVALID_DEVICE;
    if (strcmp(uid, HOST_UID) == 0)
        return nw_policy_device_count();
    for (int i = 0; i < nw_policy_device_count(); i++) {
        if (strcmp(uid, omp_get_uid_from_device(i)) == 0)
            return i;
    }
    return INVALID_DEVICE;
}

/* libomp 22 has these names too, and asks what comes after itself in the search order: this library comes before. */
const char *nw_libomp_get_uid_from_device(int device);
NW_EXPORT_AS(nw_libomp_get_uid_from_device, "omp_get_uid_from_device@VERSION");
NW_EXPORT const char *nw_libomp_get_uid_from_device(int device)
{
    return omp_get_uid_from_device(device);
}

int nw_libomp_get_device_from_uid(const char *uid);
NW_EXPORT_AS(nw_libomp_get_device_from_uid, "omp_get_device_from_uid@VERSION");
NW_EXPORT int nw_libomp_get_device_from_uid(const char *uid)
{
    return omp_get_device_from_uid(uid);
}

NW_EXPORT int omp_target_is_present(const void *host, int device)
{
    if (!host)
        return 0;
    if (nw_device_number_is_host(device))
        return 1;
    nw_core_device_t *found = nw_device_number_open(device, "omp_target_is_present");
    nw_mapping_t *mapping;
    if (!found)
        return 0;
    nw_map_hold_t hold = nw_map_hold_to_look(&found->map, host);
    nw_presence_t presence = nw_map_table_lookup(&found->map, host, 1, &mapping);
    nw_map_release(&found->map, hold);
    return presence == NW_PRESENT;
}

NW_EXPORT void *omp_get_mapped_ptr(const void *host, int device)
{
    if (!host)
        return NULL;
    if (nw_device_number_is_host(device))
        return (void *)(uintptr_t)host;
    nw_core_device_t *found = nw_device_number_open(device, "omp_get_mapped_ptr");
    nw_mapping_t *mapping;
    if (!found)
        return NULL;
    nw_map_hold_t hold = nw_map_hold_to_look(&found->map, host);
    bool present = nw_map_table_lookup(&found->map, host, 1, &mapping) == NW_PRESENT;
    char *address = present ? mapping->device + ((const char *)host - mapping->host) : NULL;
    nw_map_release(&found->map, hold);
    return address;
}

/* Whether a region of the device may use the host's storage by its host address. Whatever the size: a range that is
 * host memory at its begin is so all along. */
NW_EXPORT int omp_target_is_accessible(const void *host, size_t size, int device)
{
    (void)size;
    if (!host)
        return 0;
    if (nw_device_number_is_host(device))
        return 1;
    nw_core_device_t *found = nw_device_number_open(device, "omp_target_is_accessible");
    return found && (found->base.ops->memory_is_host || nw_requirements_shared_memory());
}

NW_EXPORT void ompx_dump_mapping_tables(void)
{
    static const nw_ident_t here = {.psource = ";libomptarget;libomptarget;0;0;;"};
    for (int i = 0; i < nw_policy_device_count(); i++)
        nw_map_table_dump(&nw_devices_peek(i)->map, &here, i, stdout);
}

/* Returns 0, or -1 if there is no such device. */
NW_EXPORT int __tgt_print_device_info(int64_t number)
{
    nw_core_device_t *device = nw_devices_get(number);
    if (!device) {
        complain((int)number, "__tgt_print_device_info");
        return -1;
    }
    printf("device %d: %s, backend %s, uid %s, %zu bytes of device memory in use, at most %zu so far\n",
           device->base.number, device->base.name, device->base.ops->kind,
           omp_get_uid_from_device(device->base.number),
           atomic_load_explicit(&device->base.pool.live, memory_order_relaxed),
           atomic_load_explicit(&device->base.pool.peak, memory_order_relaxed));
    fflush(stdout);
    return 0;
}
