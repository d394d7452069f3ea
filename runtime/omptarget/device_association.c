/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* omp_target_associate_ptr and its undoing: device memory of the program's own takes the place of a mapping's. */

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

/* Why a routine fails, in our words and in LLVM's. */
typedef struct fault {
    const char *text, *of_llvm;
} fault_t;

static const fault_t bad_arguments = {"an address is null, or the size is 0",
                                      "Call to omp_target_associate_ptr with invalid arguments"};
static const fault_t no_address = {"the address is null", "Call to omp_target_associate_ptr with invalid host_ptr"};
static const fault_t on_host = {"the host has no associations",
                                "omp_target_associate_ptr: no association possible on the host"};
static const fault_t not_on_host = {"the host has no associations",
                                    "omp_target_disassociate_ptr: no association possible on the host"};
static const fault_t associated = {"it has another association, or is a global variable",
                                   "Not allowed to re-associate a different device ptr+offset with the same host ptr"};
static const fault_t mapped = {"it is mapped",
                               "Not allowed to re-associate a different device ptr+offset with the same host ptr"};
static const fault_t no_memory = {"out of host memory", "Out of memory"};
static const fault_t absent = {"nothing begins there that is present", "Association not found"};
static const fault_t held = {"a construct with the ompx_hold modifier still holds it",
                             "Trying to disassociate a pointer with a non-zero hold reference count"};
static const fault_t not_associated = {
    "it was mapped by a construct, not associated",
    "Trying to disassociate a pointer which was not mapped via omp_target_associate_ptr"};

/* Says why a routine fails, and returns its failure value. */
static int fail(const char *routine, const void *host, int device, const fault_t *fault)
{
    nw_log(NW_LOG_ERROR, "%s: %p on device %d: %s", routine, host, device, fault->text);
    nw_log_llvm("error: %s", fault->of_llvm);
    return -1;
}

/* Adds the association to the table, of which its range is held; says what is wrong, or returns NULL. */
static const fault_t *associate(nw_map_table_t *table, char *host, size_t size, char *device_address)
{
    nw_mapping_t *mapping;
    if (nw_map_table_lookup(table, host, size, &mapping) == NW_ABSENT)
        return nw_map_table_associate(table, host, size, device_address, NULL, &mapping) == NW_OK
                   ? NULL
                   : &no_memory;
    /* The same association again changes nothing. */
    if (mapping->dynamic_count == NW_FOREVER && !mapping->is_global && mapping->host == host &&
        mapping->host_end == host + size && mapping->device == device_address)
        return NULL;
    return mapping->dynamic_count == NW_FOREVER ? &associated : &mapped;
}

NW_EXPORT int omp_target_associate_ptr(const void *host, const void *device_address, size_t size, size_t device_offset,
                                       int device)
{
    NW_TOOL_ENTER();
    if (!host || !device_address || size == 0)
        return fail(__func__, host, device, &bad_arguments);
    if (nw_device_number_is_host(device))
        return fail(__func__, host, device, &on_host);
    nw_core_device_t *found = nw_device_number_open(device, __func__);
    if (!found)
        return -1;
    char *to = (char *)(uintptr_t)device_address + device_offset;
    nw_map_hold_t hold = nw_map_hold_range(&found->map, host, size);
    const fault_t *fault = associate(&found->map, (char *)(uintptr_t)host, size, to);
    nw_map_release(&found->map, hold);
    if (fault)
        return fail(__func__, host, device, fault);
    tell(NW_OMPT_ASSOCIATE, found, host, to, size);
    return 0;
}

/* Takes the association out of the table, of which it is held; says what is wrong, or returns NULL and what it was. */
static const fault_t *disassociate(nw_map_table_t *table, const char *host, char **device_p, size_t *size_p)
{
    nw_mapping_t *mapping;
    if (nw_map_table_lookup(table, host, 1, &mapping) != NW_PRESENT || mapping->host != host)
        return &absent;
    if (mapping->hold_count != 0)
        return &held;
    if (mapping->dynamic_count != NW_FOREVER || mapping->is_global)
        return &not_associated;
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
    if (!host)
        return fail(__func__, host, device, &no_address);
    if (nw_device_number_is_host(device))
        return fail(__func__, host, device, &not_on_host);
    nw_core_device_t *found = nw_device_number_open(device, __func__);
    if (!found)
        return -1;
    nw_map_hold_t hold = nw_map_hold_range(&found->map, host, 1);
    const fault_t *fault = disassociate(&found->map, host, &from, &size);
    nw_map_release(&found->map, hold);
    if (fault)
        return fail(__func__, host, device, fault);
    tell(NW_OMPT_DISASSOCIATE, found, host, from, size);
    return 0;
}
