/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/image_globals.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/info.h"
#include "support/log.h"
#include "support/reason.h"
#include "support/settings.h"

/* In __omp_rtl_device_environment: where the table's address and its number of pairs are. */
enum { ENVIRONMENT_TABLE = 24, ENVIRONMENT_TABLE_SIZE = 32 };

static bool is_variable(const nw_entry_t *entry)
{
    return entry->name && entry->address && entry->size != 0 &&
           !(entry->flags & (NW_ENTRY_REQUIRES | NW_ENTRY_INDIRECT));
}

/* One that device code may call through a pointer. */
static bool is_function(const nw_entry_t *entry)
{
    return entry->name && entry->address && entry->size != 0 && (entry->flags & NW_ENTRY_INDIRECT);
}

/* Under unified shared memory compiled code reaches every declare target variable, not only those with `link`, through
 * a pointer, and clang flags only that of the latter. */
static bool is_reference(const nw_entry_t *entry)
{
    static const char suffix[] = "_decl_tgt_ref_ptr";
    size_t length = strlen(entry->name);
    return entry->size == sizeof(void *) && length >= sizeof suffix - 1 &&
           strcmp(entry->name + length - (sizeof suffix - 1), suffix) == 0;
}

/* A function's two addresses. */
typedef struct pair {
    void *host, *device;
} pair_t;

/* Reads the pair of an entry: its address is the function's, and its name that of a variable of the image that holds
 * the device's. */
static nw_status_t read_pair(nw_device_t *device, nw_image_t *image, const nw_entry_t *entry, pair_t *pair)
{
    nw_symbol_t symbol;
    nw_status_t status = device->ops->symbol(device, image, entry->name, &symbol);
    pair->host = entry->address;
    if (status != NW_OK)
        return status;
    if (nw_settings.info & NW_INFO_COPY)
        nw_info(device->number,
                "Copying data from device to host, TgtPtr=" NW_INFO_ADDRESS ", HstPtr=" NW_INFO_ADDRESS
                ", Size=%zu, Name=unknown",
                NW_INFO_BITS(symbol.address), NW_INFO_BITS(&pair->device), sizeof pair->device);
    return device->ops->copy_out(device, &pair->device, symbol.address, sizeof pair->device);
}

/* A mapping that stays while the image is loaded, if nothing is there yet. */
static nw_status_t map_global(nw_core_device_t *device, const nw_entry_t *entry, char *address)
{
    nw_mapping_t *mapping;
    nw_status_t status = NW_OK;
    nw_map_hold_t hold = nw_map_hold_range(&device->map, entry->address, entry->size);
    if (nw_map_table_lookup(&device->map, entry->address, entry->size, &mapping) == NW_ABSENT)
        status = nw_map_table_associate(&device->map, entry->address, entry->size, address, entry->name, &mapping);
    nw_map_release(&device->map, hold);
    return status;
}

static void load_variable(nw_core_device_t *device, nw_image_t *image, const nw_entry_t *entry, bool shared_memory)
{
    nw_device_t *base = &device->base;
    nw_symbol_t symbol;
    nw_status_t status = base->ops->symbol(base, image, entry->name, &symbol);
    if (status == NW_ERR_NO_KERNEL) {
        nw_log(NW_LOG_WARNING, "device %d: the image has no variable %s", base->number, entry->name);
        return;
    }
    if (status == NW_OK && shared_memory && is_reference(entry))
        status = base->ops->copy_in(base, symbol.address, entry->address, entry->size);
    if (status == NW_OK)
        status = map_global(device, entry, symbol.address);
    if (status != NW_OK)
        nw_fatal(NULL, "variable %s on device %d: %s", entry->name, base->number,
                 nw_reason_take(nw_status_text(status)));
}

/* So that a pointer to the function, handed to a region, is one that the device can call and compare with its own. */
static void load_function(nw_core_device_t *device, nw_image_t *image, const nw_entry_t *entry)
{
    pair_t pair;
    nw_status_t status = read_pair(&device->base, image, entry, &pair);
    if (status == NW_ERR_NO_KERNEL) {
        nw_log(NW_LOG_WARNING, "device %d: the image has no function %s", device->base.number, entry->name);
        return;
    }
    if (status == NW_OK)
        status = map_global(device, entry, pair.device);
    if (status != NW_OK)
        nw_fatal(NULL, "function %s on device %d: %s", entry->name, device->base.number,
                 nw_reason_take(nw_status_text(status)));
}

void nw_globals_load(nw_core_device_t *device, nw_image_t *image, const nw_entry_list_t *entries, bool shared_memory)
{
    nw_entry_t entry;
    for (size_t i = 0; nw_entry_list_get(entries, i, &entry); i++) {
        if (is_variable(&entry))
            load_variable(device, image, &entry, shared_memory);
        else if (is_function(&entry))
            load_function(device, image, &entry);
    }
}

/* Returns false if some operation still uses it. */
static bool unload_global(nw_map_table_t *table, const nw_entry_t *entry)
{
    nw_mapping_t *mapping;
    nw_map_hold_t hold = nw_map_hold_range(table, entry->address, entry->size);
    bool loaded = nw_map_table_lookup(table, entry->address, entry->size, &mapping) == NW_PRESENT &&
                  mapping->is_global && mapping->host == entry->address;
    bool used = loaded && mapping->users > 0;
    if (loaded && !used) {
        nw_map_table_remove(table, mapping, false);
        nw_map_table_discard(table, mapping);
    }
    nw_map_release(table, hold);
    return !used;
}

void nw_globals_unload(nw_core_device_t *device, const nw_entry_list_t *entries)
{
    nw_map_table_t *table = &device->map;
    nw_entry_t entry;
    for (size_t i = 0; nw_entry_list_get(entries, i, &entry); i++) {
        while ((is_variable(&entry) || is_function(&entry)) && !unload_global(table, &entry) && !nw_is_dying())
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
}

static int compare_pairs(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t)((const pair_t *)a)->host, right = (uintptr_t)((const pair_t *)b)->host;
    return left < right ? -1 : left > right;
}

static size_t count_functions(const nw_entry_list_t *entries)
{
    nw_entry_t entry;
    size_t n = 0;
    for (size_t i = 0; nw_entry_list_get(entries, i, &entry); i++)
        n += entry.name && (entry.flags & NW_ENTRY_INDIRECT) != 0;
    return n;
}

static nw_status_t write_table(nw_device_t *device, void *environment, const pair_t *pairs, uint64_t n, void *address)
{
    nw_status_t status = device->ops->copy_in(device, address, pairs, n * sizeof *pairs);
    if (status == NW_OK)
        status = device->ops->copy_in(device, (char *)environment + ENVIRONMENT_TABLE, &address, sizeof address);
    if (status == NW_OK)
        status = device->ops->copy_in(device, (char *)environment + ENVIRONMENT_TABLE_SIZE, &n, sizeof n);
    return status;
}

nw_indirect_table_t nw_indirect_table_load(nw_core_device_t *core_device, nw_image_t *image,
                                           const nw_entry_list_t *entries)
{
    nw_device_t *device = &core_device->base;
    nw_indirect_table_t table = {0};
    nw_symbol_t environment;
    nw_entry_t entry;
    size_t capacity = count_functions(entries), n = 0;
    if (capacity == 0)
        return table;
    nw_status_t status = device->ops->symbol(device, image, "__omp_rtl_device_environment", &environment);
    if (status == NW_ERR_NO_KERNEL)
        return table;
    pair_t *pairs = malloc(capacity * sizeof *pairs);
    if (!pairs)
        status = NW_ERR_NO_MEMORY;
    for (size_t i = 0; status == NW_OK && nw_entry_list_get(entries, i, &entry); i++) {
        if (entry.name && (entry.flags & NW_ENTRY_INDIRECT))
            status = read_pair(device, image, &entry, &pairs[n++]);
    }
    if (status == NW_OK) {
        qsort(pairs, n, sizeof *pairs, compare_pairs);
        table.size = n * sizeof *pairs;
        table.address = device->ops->alloc(device, table.size);
        status = table.address ? write_table(device, environment.address, pairs, n, table.address)
                               : NW_ERR_DEVICE_MEMORY;
    }
    free(pairs);
    if (status != NW_OK)
        nw_fatal(NULL, "device %d: no table of the functions that are called indirectly: %s", device->number,
                 nw_reason_take(nw_status_text(status)));
    return table;
}

void nw_indirect_table_unload(nw_core_device_t *device, nw_indirect_table_t *table)
{
    if (table->address)
        device->base.ops->free(&device->base, table->address, table->size);
    table->address = NULL;
}
