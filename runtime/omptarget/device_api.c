/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP's device memory routines (OpenMP 5.2, section 18.8). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/devices.h"
#include "core/map_table.h"
#include "core/tool.h"
#include "omptarget/omptarget.h"
#include "support/export.h"
#include "support/log.h"
#include "support/settings.h"
#include "tasking/policy.h"
#include "tasking/shutdown.h"

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

/* On the host, the calling thread's device is the initial device. */
NW_EXPORT int omp_get_device_num(void)
{
    return nw_policy_device_count();
}

NW_EXPORT void __tgt_set_info_flag(uint32_t bits)
{
    nw_settings.info = bits;
}

static bool is_host(int device)
{
    int n = nw_policy_device_count();
    /* Without devices every number that the program can know means the host. */
    return device == n || device == -1 || n == 0;
}

/* Returns the device, or NULL after one line about it. */
static nw_core_device_t *device_or_complain(int device, const char *function)
{
    nw_shutdown_prepare();
    nw_core_device_t *found = nw_devices_get(device);
    if (!found)
        nw_log(NW_LOG_ERROR, "%s: there is no device %d: devices are numbered 0 to %d, and %d is the host", function,
               device, nw_policy_device_count() - 1, nw_policy_device_count());
    return found;
}

/* Memory of omp_target_alloc carries its size in front, since omp_target_free is not told. */
#define HEADER 64

NW_EXPORT void *omp_target_alloc(size_t size, int device)
{
    NW_TOOL_ENTER();
    if (size == 0)
        return NULL;
    if (is_host(device))
        return malloc(size);
    nw_core_device_t *found = device_or_complain(device, "omp_target_alloc");
    if (!found || size > SIZE_MAX - HEADER)
        return NULL;
    nw_device_t *base = &found->base;
    nw_tool_data_op_t told;
    if (nw_tool_attached())
        told = nw_tool_data_op_begin(NW_OMPT_ALLOC, NULL, found, NULL, NULL, size);
    char *block = base->ops->alloc(base, size + HEADER);
    if (!block) {
        nw_log(NW_LOG_ERROR, "omp_target_alloc: no %zu bytes left on device %d", size, device);
        return NULL;
    }
    size_t whole = size + HEADER;
    if (base->ops->copy_in(base, block, &whole, sizeof whole) != NW_OK)
        return NULL;
    if (nw_tool_attached()) {
        told.to = block + HEADER;
        nw_tool_data_op(&told, NW_OMPT_END);
    }
    return block + HEADER;
}

NW_EXPORT void omp_target_free(void *address, int device)
{
    NW_TOOL_ENTER();
    if (!address)
        return;
    if (is_host(device)) {
        free(address);
        return;
    }
    nw_core_device_t *found = device_or_complain(device, "omp_target_free");
    size_t whole;
    char *block = (char *)address - HEADER;
    if (!found || found->base.ops->copy_out(&found->base, &whole, block, sizeof whole) != NW_OK)
        return;
    nw_tool_data_op_t told;
    if (nw_tool_attached())
        told = nw_tool_data_op_begin(NW_OMPT_DELETE, NULL, NULL, address, found, whole - HEADER);
    found->base.ops->free(&found->base, block, whole);
    if (nw_tool_attached())
        nw_tool_data_op(&told, NW_OMPT_END);
}

NW_EXPORT int omp_target_is_present(const void *host, int device)
{
    if (!host)
        return 0;
    if (is_host(device))
        return 1;
    nw_core_device_t *found = device_or_complain(device, "omp_target_is_present");
    nw_mapping_t *mapping;
    if (!found)
        return 0;
    pthread_mutex_lock(&found->map.lock);
    nw_presence_t presence = nw_map_table_lookup(&found->map, host, 1, &mapping);
    pthread_mutex_unlock(&found->map.lock);
    return presence == NW_PRESENT;
}

NW_EXPORT void *omp_get_mapped_ptr(const void *host, int device)
{
    if (!host)
        return NULL;
    if (is_host(device))
        return (void *)(uintptr_t)host;
    nw_core_device_t *found = device_or_complain(device, "omp_get_mapped_ptr");
    nw_mapping_t *mapping;
    if (!found)
        return NULL;
    pthread_mutex_lock(&found->map.lock);
    bool present = nw_map_table_lookup(&found->map, host, 1, &mapping) == NW_PRESENT;
    char *address = present ? mapping->device + ((const char *)host - mapping->host) : NULL;
    pthread_mutex_unlock(&found->map.lock);
    return address;
}

/* Copies between any two places. Two devices exchange through the host. */
static nw_status_t copy_untold(char *to, const char *from, size_t size, nw_core_device_t *to_device,
                        nw_core_device_t *from_device)
{
    if (!to_device && !from_device) {
        memmove(to, from, size);
        return NW_OK;
    }
    if (!from_device)
        return to_device->base.ops->copy_in(&to_device->base, to, from, size);
    if (!to_device)
        return from_device->base.ops->copy_out(&from_device->base, to, from, size);
    if (to_device == from_device)
        return to_device->base.ops->copy_within(&to_device->base, to, from, size);
    char *middle = malloc(size);
    if (!middle)
        return NW_ERR_NO_MEMORY;
    nw_status_t status = from_device->base.ops->copy_out(&from_device->base, middle, from, size);
    if (status == NW_OK)
        status = to_device->base.ops->copy_in(&to_device->base, to, middle, size);
    free(middle);
    return status;
}

static nw_status_t copy(char *to, const char *from, size_t size, nw_core_device_t *to_device,
                        nw_core_device_t *from_device)
{
    nw_tool_data_op_t told;
    if (!nw_tool_attached() || (!to_device && !from_device))
        return copy_untold(to, from, size, to_device, from_device);
    told = nw_tool_data_op_begin(from_device ? NW_OMPT_FROM_DEVICE : NW_OMPT_TO_DEVICE, to, to_device, from,
                                 from_device, size);
    nw_status_t status = copy_untold(to, from, size, to_device, from_device);
    nw_tool_data_op(&told, NW_OMPT_END);
    return status;
}

/* Resolves both ends of a copy; false after one line if one does not exist. */
static bool both_ends(int to_device, int from_device, const char *function, nw_core_device_t **to_p,
                      nw_core_device_t **from_p)
{
    *to_p = is_host(to_device) ? NULL : device_or_complain(to_device, function);
    *from_p = is_host(from_device) ? NULL : device_or_complain(from_device, function);
    return (*to_p || is_host(to_device)) && (*from_p || is_host(from_device));
}

NW_EXPORT int omp_target_memcpy(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset,
                                int to_device, int from_device)
{
    NW_TOOL_ENTER();
    nw_core_device_t *to_found, *from_found;
    if (size == 0)
        return 0;
    if (!to || !from) {
        nw_log(NW_LOG_ERROR, "omp_target_memcpy: an address is null");
        return -1;
    }
    if (!both_ends(to_device, from_device, "omp_target_memcpy", &to_found, &from_found))
        return -1;
    return copy((char *)to + to_offset, (const char *)from + from_offset, size, to_found, from_found) == NW_OK ? 0 : -1;
}

/* A rectangular copy: the last dimension is one run of bytes. */
typedef struct rectangle {
    size_t element_size;
    const size_t *volume, *to_offsets, *from_offsets, *to_dimensions, *from_dimensions;
    nw_core_device_t *to_device, *from_device;
} rectangle_t;

static nw_status_t copy_rectangle(const rectangle_t *r, char *to, const char *from, int dimension, int n_dims)
{
    size_t to_stride = r->element_size, from_stride = r->element_size;
    for (int k = dimension + 1; k < n_dims; k++) {
        to_stride *= r->to_dimensions[k];
        from_stride *= r->from_dimensions[k];
    }
    to += r->to_offsets[dimension] * to_stride;
    from += r->from_offsets[dimension] * from_stride;
    if (dimension == n_dims - 1)
        return copy(to, from, r->volume[dimension] * r->element_size, r->to_device, r->from_device);
    nw_status_t status = NW_OK;
    for (size_t i = 0; i < r->volume[dimension] && status == NW_OK; i++)
        status = copy_rectangle(r, to + i * to_stride, from + i * from_stride, dimension + 1, n_dims);
    return status;
}

NW_EXPORT int omp_target_memcpy_rect(void *to, const void *from, size_t element_size, int n_dims, const size_t *volume,
                                     const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                     const size_t *from_dimensions, int to_device, int from_device)
{
    NW_TOOL_ENTER();
    rectangle_t r = {element_size, volume, to_offsets, from_offsets, to_dimensions, from_dimensions, NULL, NULL};
    /* Both addresses null: the question how many dimensions are supported. */
    if (!to && !from)
        return INT32_MAX;
    if (!to || !from || element_size == 0 || n_dims < 1 || !volume || !to_offsets || !from_offsets || !to_dimensions ||
        !from_dimensions) {
        nw_log(NW_LOG_ERROR, "omp_target_memcpy_rect: an argument is null or zero");
        return -1;
    }
    if (!both_ends(to_device, from_device, "omp_target_memcpy_rect", &r.to_device, &r.from_device))
        return -1;
    return copy_rectangle(&r, to, from, 0, n_dims) == NW_OK ? 0 : -1;
}

NW_EXPORT void *omp_target_memset(void *address, int byte, size_t size, int device)
{
    if (!address || size == 0)
        return address;
    if (is_host(device))
        return memset(address, byte, size);
    nw_core_device_t *found = device_or_complain(device, "omp_target_memset");
    if (found && found->base.ops->fill(&found->base, address, byte, size) != NW_OK)
        nw_log(NW_LOG_ERROR, "omp_target_memset: device %d failed", device);
    return address;
}

NW_EXPORT int omp_target_associate_ptr(const void *host, const void *device_address, size_t size, size_t device_offset,
                                       int device)
{
    NW_TOOL_ENTER();
    nw_mapping_t *mapping;
    if (!host || !device_address || size == 0) {
        nw_log(NW_LOG_ERROR, "omp_target_associate_ptr: an address is null, or the size is 0");
        return -1;
    }
    if (is_host(device)) {
        nw_log(NW_LOG_ERROR, "omp_target_associate_ptr: device %d is the host", device);
        return -1;
    }
    nw_core_device_t *found = device_or_complain(device, "omp_target_associate_ptr");
    if (!found)
        return -1;
    char *to = (char *)(uintptr_t)device_address + device_offset;
    int result = -1;
    pthread_mutex_lock(&found->map.lock);
    switch (nw_map_table_lookup(&found->map, host, size, &mapping)) {
    case NW_ABSENT:
        if (nw_map_table_associate(&found->map, (char *)(uintptr_t)host, size, to, false, &mapping) == NW_OK)
            result = 0;
        break;
    case NW_PRESENT:
        /* The same association again changes nothing. */
        if (mapping->dynamic_count == NW_FOREVER && mapping->host == host && mapping->device == to)
            result = 0;
        break;
    case NW_PARTIAL:
        break;
    }
    pthread_mutex_unlock(&found->map.lock);
    if (result == 0 && nw_tool_attached()) {
        nw_tool_data_op_t told = nw_tool_data_op_begin(NW_OMPT_ASSOCIATE, to, found, host, NULL, size);
        nw_tool_data_op(&told, NW_OMPT_BEGIN_END);
    }
    if (result != 0)
        nw_log(NW_LOG_ERROR, "omp_target_associate_ptr: %p is already mapped on device %d", host, device);
    return result;
}

NW_EXPORT int omp_target_disassociate_ptr(const void *host, int device)
{
    NW_TOOL_ENTER();
    char *from = NULL;
    size_t size = 0;
    nw_core_device_t *found =
        host && !is_host(device) ? device_or_complain(device, "omp_target_disassociate_ptr") : NULL;
    nw_mapping_t *mapping;
    bool done = false;
    if (!found)
        return -1;
    pthread_mutex_lock(&found->map.lock);
    if (nw_map_table_lookup(&found->map, host, 1, &mapping) == NW_PRESENT && mapping->host == host &&
        mapping->dynamic_count == NW_FOREVER && mapping->hold_count == 0 && !mapping->is_global) {
        from = mapping->device;
        size = (size_t)(mapping->host_end - mapping->host);
        nw_map_table_remove(&found->map, mapping, false);
        if (mapping->users == 0)
            nw_map_table_discard(&found->map, mapping);
        done = true;
    }
    pthread_mutex_unlock(&found->map.lock);
    if (done && nw_tool_attached()) {
        nw_tool_data_op_t told = nw_tool_data_op_begin(NW_OMPT_DISASSOCIATE, from, found, host, NULL, size);
        nw_tool_data_op(&told, NW_OMPT_BEGIN_END);
    }
    if (!done)
        nw_log(NW_LOG_ERROR, "omp_target_disassociate_ptr: %p has no association on device %d", host, device);
    return done ? 0 : -1;
}

NW_EXPORT void ompx_dump_mapping_tables(void)
{
    for (int i = 0; i < nw_policy_device_count(); i++)
        nw_map_table_dump(&nw_devices_peek(i)->map, NULL, i);
}
