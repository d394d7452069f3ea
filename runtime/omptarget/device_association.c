/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* omp_target_associate_ptr and its undoing: device memory of the program's own takes the place of a mapping's. */
#include <pthread.h>

#include "core/map_table.h"
#include "core/tool.h"
#include "omptarget/device_number.h"
#include "omptarget/omptarget.h"
#include "support/export.h"
#include "support/log.h"

static void tell(nw_ompt_data_op_t kind, const nw_core_device_t *device, const void *host, const void *address,
                 size_t size)
{
    if (!nw_tool_attached())
        return;
    nw_tool_data_op_t told = nw_tool_data_op_begin(kind, address, device, host, NULL, size);
    nw_tool_data_op(&told, NW_OMPT_BEGIN_END);
}

/* Adds the association to the table, whose lock is held; says what is wrong, or returns NULL. */
static const char *associate(nw_map_table_t *table, char *host, size_t size, char *device_address)
{
    nw_mapping_t *mapping;
    if (nw_map_table_lookup(table, host, size, &mapping) == NW_ABSENT)
        return nw_map_table_associate(table, host, size, device_address, false, &mapping) == NW_OK
                   ? NULL
                   : "out of host memory";
    /* The same association again changes nothing. */
    if (mapping->dynamic_count == NW_FOREVER && !mapping->is_global && mapping->host == host &&
        mapping->host_end == host + size && mapping->device == device_address)
        return NULL;
    return mapping->dynamic_count == NW_FOREVER ? "it has another association, or is a global variable"
                                                : "it is mapped";
}

NW_EXPORT int omp_target_associate_ptr(const void *host, const void *device_address, size_t size, size_t device_offset,
                                       int device)
{
    NW_TOOL_ENTER();
    if (!host || !device_address || size == 0) {
        nw_log(NW_LOG_ERROR, "omp_target_associate_ptr: an address is null, or the size is 0");
        return -1;
    }
    if (nw_device_number_is_host(device)) {
        nw_log(NW_LOG_ERROR, "omp_target_associate_ptr: device %d is the host", device);
        return -1;
    }
    nw_core_device_t *found = nw_device_number_open(device, "omp_target_associate_ptr");
    if (!found)
        return -1;
    char *to = (char *)(uintptr_t)device_address + device_offset;
    pthread_mutex_lock(&found->map.lock);
    const char *fault = associate(&found->map, (char *)(uintptr_t)host, size, to);
    pthread_mutex_unlock(&found->map.lock);
    if (!fault) {
        tell(NW_OMPT_ASSOCIATE, found, host, to, size);
        return 0;
    }
    nw_log(NW_LOG_ERROR, "omp_target_associate_ptr: %p on device %d: %s", host, device, fault);
    return -1;
}

/* Takes the association out of the table, whose lock is held; says what is wrong, or returns NULL and what it was. */
static const char *disassociate(nw_map_table_t *table, const char *host, char **device_p, size_t *size_p)
{
    nw_mapping_t *mapping;
    if (nw_map_table_lookup(table, host, 1, &mapping) != NW_PRESENT || mapping->host != host)
        return "nothing begins there that is present";
    if (mapping->dynamic_count != NW_FOREVER || mapping->is_global)
        return "it was mapped by a construct, not associated";
    if (mapping->hold_count != 0)
        return "a construct with the ompx_hold modifier still holds it";
    *device_p = mapping->device;
    *size_p = (size_t)(mapping->host_end - mapping->host);
    nw_map_table_remove(table, mapping, false);
    if (mapping->users == 0)
        nw_map_table_discard(table, mapping);
    return NULL;
}

NW_EXPORT int omp_target_disassociate_ptr(const void *host, int device)
{
    NW_TOOL_ENTER();
    char *from;
    size_t size;
    if (!host || nw_device_number_is_host(device)) {
        nw_log(NW_LOG_ERROR, "omp_target_disassociate_ptr: %s",
               host ? "the host has no associations" : "the address is null");
        return -1;
    }
    nw_core_device_t *found = nw_device_number_open(device, "omp_target_disassociate_ptr");
    if (!found)
        return -1;
    pthread_mutex_lock(&found->map.lock);
    const char *fault = disassociate(&found->map, host, &from, &size);
    pthread_mutex_unlock(&found->map.lock);
    if (!fault) {
        tell(NW_OMPT_DISASSOCIATE, found, host, from, size);
        return 0;
    }
    nw_log(NW_LOG_ERROR, "omp_target_disassociate_ptr: %p on device %d: %s", host, device, fault);
    return -1;
}
