/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/images.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/image_globals.h"
#include "core/offload_entry.h"
#include "core/requirements.h"
#include "core/tool.h"
#include "support/loader.h"
#include "support/log.h"
#include "support/reason.h"

typedef struct nw_library {
    struct nw_library *next;
    nw_library_description_t *description;
    nw_entry_layout_t layout;
    uint64_t module; /* its number, for tools */
    nw_image_t *loaded[NW_MAX_DEVICES];
    char *refusals[NW_MAX_DEVICES]; /* why it is not loaded */
    nw_indirect_table_t tables[NW_MAX_DEVICES];
    uint8_t load_state[NW_MAX_DEVICES];
} nw_library_t;

enum { LOAD_NEW, LOAD_IN_PROGRESS, LOAD_OVER, LOAD_END_TOLD };

/* Region ids to regions: open addressing. Readers take no lock; a grown table replaces the old one, which stays
 * allocated, since a reader may still be in it (tables double, so that costs at most as much again). */
typedef struct region_table {
    size_t capacity; /* a power of two */
    size_t used;     /* slots that are or were in use */
    struct region_table *previous; /* the one that this replaced */
    _Atomic(nw_region_t *) slots[];
} region_table_t;

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static nw_library_t *libraries;
static _Atomic uint64_t generation = 1;
static _Atomic(region_table_t *) regions;

/* Stands in a slot whose region was taken back: searches go on behind it. */
static nw_region_t removed_region;

static nw_entry_list_t entries_of(const nw_library_t *library)
{
    return (nw_entry_list_t){.layout = library->layout,
                             .begin = library->description->entries_begin,
                             .end = library->description->entries_end};
}

/* For waits that are rare and that nothing wakes. */
static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* Regions that were taken back, to be used again. Guarded by the registry's lock. */
static nw_region_t *retired_regions;

static size_t hash(const void *id, size_t capacity)
{
    uint64_t bits = (uint64_t)(uintptr_t)id * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(bits >> 32) & (capacity - 1);
}

nw_region_t *nw_images_region(void *id)
{
    region_table_t *table = atomic_load_explicit(&regions, memory_order_acquire);
    /* The placeholder below has no id: it must not be found by looking for none. */
    if (!table || !id)
        return NULL;
    for (size_t i = hash(id, table->capacity);; i = (i + 1) & (table->capacity - 1)) {
        nw_region_t *region = atomic_load_explicit(&table->slots[i], memory_order_acquire);
        if (!region || region->id == id)
            return region;
    }
}

static void put_region(region_table_t *table, nw_region_t *region)
{
    size_t i = hash(region->id, table->capacity);
    while (atomic_load_explicit(&table->slots[i], memory_order_relaxed))
        i = (i + 1) & (table->capacity - 1);
    table->used++;
    atomic_store_explicit(&table->slots[i], region, memory_order_release);
}

/* Caller holds the registry's lock. */
static bool add_region(nw_region_t *region)
{
    region_table_t *table = atomic_load_explicit(&regions, memory_order_relaxed);
    if (!table || 2 * (table->used + 1) > table->capacity) {
        size_t capacity = table ? 2 * table->capacity : 64;
        region_table_t *grown = calloc(1, sizeof *grown + capacity * sizeof grown->slots[0]);
        if (!grown)
            return false;
        grown->capacity = capacity;
        grown->previous = table;
        for (size_t i = 0; table && i < table->capacity; i++) {
            nw_region_t *old = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
            if (old && old != &removed_region)
                put_region(grown, old);
        }
        atomic_store_explicit(&regions, grown, memory_order_release);
        table = grown;
    }
    put_region(table, region);
    return true;
}

static void remove_regions(const nw_library_t *library)
{
    region_table_t *table = atomic_load_explicit(&regions, memory_order_relaxed);
    for (size_t i = 0; table && i < table->capacity; i++) {
        nw_region_t *region = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
        if (region && region->library == library) {
            atomic_store_explicit(&table->slots[i], &removed_region, memory_order_release);
            /* A search may be looking at it: it is used again, but never freed. */
            region->library = NULL;
            region->next_retired = retired_regions;
            retired_regions = region;
        }
    }
}

/* Caller holds the registry's lock. */
static nw_region_t *new_region(void)
{
    nw_region_t *region = retired_regions;
    if (!region)
        return calloc(1, sizeof *region);
    retired_regions = region->next_retired;
    for (int i = 0; i < NW_MAX_DEVICES; i++)
        atomic_store_explicit(&region->kernels[i], NULL, memory_order_relaxed);
    return region;
}

static void register_entry(nw_library_t *library, const nw_entry_t *entry)
{
    if (entry->flags & NW_ENTRY_REQUIRES) {
        nw_requirements_declare(entry->data);
        return;
    }
    if (!entry->name || !entry->address || entry->size != 0 || (entry->flags & NW_ENTRY_INDIRECT))
        return;
    nw_region_t *region = new_region();
    if (region) {
        region->id = entry->address;
        region->name = entry->name;
        region->library = library;
        region->layout = library->layout;
        if (add_region(region))
            return;
        free(region);
    }
    nw_fatal(NULL, "out of memory while the regions of the program are registered");
}

void nw_images_register(nw_library_description_t *description)
{
    nw_library_t *library = calloc(1, sizeof *library);
    if (!library)
        nw_fatal(NULL, "out of memory while the regions of the program are registered");
    library->description = description;
    library->layout = nw_entries_layout(description->entries_begin, description->entries_end);
    if (library->layout == NW_ENTRIES_NEWER)
        nw_log(NW_LOG_ERROR, "the program's table of target regions is of version %u, and this libnowait.so knows only "
                             "version %u (LLVM 21 and 22); none of its regions can run: install the matching library",
               nw_entries_version(description->entries_begin, description->entries_end), NW_ENTRY_VERSION);
    if (library->layout == NW_ENTRIES_UNKNOWN)
        nw_log(NW_LOG_ERROR, "the program's table of target regions has a layout that is neither LLVM 19's nor 22's; "
                             "compile it with one of these");
    pthread_mutex_lock(&registry_lock);
    nw_entry_t entry;
    for (size_t i = 0;
         nw_entries_get(library->layout, description->entries_begin, description->entries_end, i, &entry); i++)
        register_entry(library, &entry);
    library->next = libraries;
    libraries = library;
    library->module = atomic_fetch_add_explicit(&generation, 1, memory_order_release);
    pthread_mutex_unlock(&registry_lock);
}

uint64_t nw_images_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_acquire);
}

/* Bytes of an image without its wrapper. */
typedef struct image_bytes {
    const void *start;
    size_t size;
} image_bytes_t;

static bool image_bytes(const nw_library_description_t *description, int32_t i, image_bytes_t *bytes_p)
{
    const nw_image_description_t *image = &description->images[i];
    *bytes_p = (image_bytes_t){image->start, (size_t)((char *)image->end - (char *)image->start)};
    return nw_offload_binary_unwrap(&bytes_p->start, &bytes_p->size) == NW_OK;
}

/* A kernel that the image does not have is no failure. */
static nw_status_t load_entry(nw_core_device_t *device, nw_image_t *image, const nw_entry_t *entry)
{
    if (!entry->name || !entry->address || entry->size != 0 ||
        (entry->flags & (NW_ENTRY_REQUIRES | NW_ENTRY_INDIRECT)))
        return NW_OK;
    nw_kernel_t *kernel;
    nw_region_t *region = nw_images_region(entry->address);
    if (!region)
        return NW_OK;
    nw_status_t status = device->base.ops->kernel(&device->base, image, entry->name, &kernel);
    if (status == NW_OK)
        /* Release pairs with the acquire at a construct. */
        atomic_store_explicit(&region->kernels[device->base.number], kernel, memory_order_release);
    return status == NW_ERR_NO_KERNEL ? NW_OK : status;
}

/* Notes why the device has no code of the library's, for a region that wants some. */
static void note_refusal(nw_core_device_t *device, nw_library_t *library, const char *why, const char *advice)
{
    char text[400];
    snprintf(text, sizeof text, "%s%s", why, advice);
    library->refusals[device->base.number] = strdup(text);
    nw_log(NW_LOG_INFO, "device %d (%s) has no code of %d device images: %s", device->base.number,
           device->base.ops->kind, library->description->n_images, text);
}

/* Finds the library's kernels in an image. Those that are missing are missed only by who launches them. */
static nw_status_t find_kernels(nw_core_device_t *device, nw_image_t *image, const nw_library_t *library)
{
    nw_entry_list_t entries = entries_of(library);
    nw_entry_t entry;
    nw_status_t status = NW_OK;
    for (size_t i = 0; status == NW_OK && nw_entry_list_get(&entries, i, &entry); i++)
        status = load_entry(device, image, &entry);
    return status;
}

static void forget_kernels(nw_core_device_t *device, const nw_library_t *library)
{
    nw_entry_list_t entries = entries_of(library);
    nw_entry_t entry;
    for (size_t i = 0; nw_entry_list_get(&entries, i, &entry); i++) {
        nw_region_t *region = nw_images_region(entry.address);
        if (region)
            atomic_store_explicit(&region->kernels[device->base.number], NULL, memory_order_release);
    }
}

static nw_image_t *load_bytes(nw_core_device_t *device, nw_library_t *library, const image_bytes_t *bytes)
{
    const nw_device_ops_t *ops = device->base.ops;
    nw_image_t *image;
    nw_status_t status = ops->image_load(&device->base, bytes->start, bytes->size, &image);
    if (status == NW_OK) {
        status = find_kernels(device, image, library);
        if (status == NW_OK)
            return image;
        forget_kernels(device, library);
        note_refusal(device, library, nw_reason_take(nw_status_text(status)), "");
        ops->image_unload(&device->base, image);
    } else {
        note_refusal(device, library, nw_reason_take(nw_status_text(status)), "");
    }
    return NULL;
}

/* Loads the image that fits best, the first among equals; notes why if none does. */
static nw_image_t *load_image(nw_core_device_t *device, nw_library_t *library)
{
    const nw_library_description_t *description = library->description;
    const nw_device_ops_t *ops = device->base.ops;
    char reason[256] = "the program has no device image";
    image_bytes_t best = {NULL, 0}, bytes;
    int best_rank = 0;
    bool has_kind = false; /* some image is of the device's kind: what is wrong with that one counts */
    for (int32_t i = 0; i < description->n_images; i++) {
        bool whole = image_bytes(description, i, &bytes);
        bool is_kind = whole && !ops->image_refuse(NULL, bytes.start, bytes.size);
        const char *refusal =
            whole ? ops->image_refuse(&device->base, bytes.start, bytes.size) : "damaged OffloadBinary wrapper";
        if (refusal) {
            if (is_kind || !has_kind)
                snprintf(reason, sizeof reason, "%s", refusal);
            has_kind |= is_kind;
            continue;
        }
        int rank = ops->image_rank ? ops->image_rank(&device->base, bytes.start, bytes.size) : 1;
        if (rank > best_rank) {
            best_rank = rank;
            best = bytes;
        }
    }
    if (best.start) {
        nw_image_t *image = load_bytes(device, library, &best);
        if (image && nw_tool_attached())
            nw_tool_device_load(device, best.start, best.size, library->module);
        return image;
    }
    char advice[64] = "; link the program again";
    /* Where all of its kind are equal, such an image can only be damaged. */
    if (!has_kind || ops->image_rank)
        snprintf(advice, sizeof advice, "; compile for it with %s", ops->compiler_flag);
    note_refusal(device, library, reason, advice);
    return NULL;
}

const char *nw_images_refusal(const nw_region_t *region, const nw_core_device_t *device)
{
    return region && region->library ? region->library->refusals[device->base.number] : NULL;
}

bool nw_images_have_some_for(const nw_device_ops_t *ops)
{
    bool found = false;
    image_bytes_t bytes;
    pthread_mutex_lock(&registry_lock);
    for (const nw_library_t *library = libraries; library && !found; library = library->next) {
        for (int32_t i = 0; i < library->description->n_images && !found; i++)
            found = image_bytes(library->description, i, &bytes) &&
                    !ops->image_refuse(NULL, bytes.start, bytes.size);
    }
    pthread_mutex_unlock(&registry_lock);
    return found;
}

static void start_image(nw_core_device_t *device, nw_image_t *image)
{
    nw_status_t status = device->base.ops->image_start(&device->base, image);
    if (status != NW_OK)
        nw_fatal(NULL, "device %d: the program's image cannot be set up: %s", device->base.number,
                 nw_reason_take(nw_status_text(status)));
}

static void load_library(nw_core_device_t *device, nw_library_t *library)
{
    nw_image_t *image = load_image(device, library);
    library->loaded[device->base.number] = image;
    if (!image)
        return;
    nw_entry_list_t entries = entries_of(library);
    nw_globals_load(device, image, &entries, nw_requirements_shared_memory());
    library->tables[device->base.number] = nw_indirect_table_load(device, image, &entries);
    if (device->base.ops->image_start)
        start_image(device, image);
}

/* Returns a library in the given state for the device, or NULL. Caller holds the registry's lock. */
static nw_library_t *find_library(int number, uint8_t state)
{
    nw_library_t *library = libraries;
    while (library && library->load_state[number] != state)
        library = library->next;
    return library;
}

uint64_t nw_images_load(nw_core_device_t *device)
{
    int number = device->base.number;
    nw_library_t *library;
    pthread_mutex_lock(&registry_lock);
    uint64_t now = nw_images_generation();
    /* What an image needs may be loaded with it, and register itself, and run regions: the registry's lock is not held
     * meanwhile. */
    while ((library = find_library(number, LOAD_NEW))) {
        library->load_state[number] = LOAD_IN_PROGRESS;
        pthread_mutex_unlock(&registry_lock);
        load_library(device, library);
        pthread_mutex_lock(&registry_lock);
        library->load_state[number] = LOAD_OVER;
    }
    /* This thread itself may be in the middle of another one, of which nobody may think that it is there. */
    bool whole = !find_library(number, LOAD_IN_PROGRESS);
    pthread_mutex_unlock(&registry_lock);
    return whole ? now : 0;
}

void nw_images_tell_unload(nw_core_device_t *device)
{
    int number = device->base.number;
    nw_library_t *library;
    pthread_mutex_lock(&registry_lock);
    while ((library = find_library(number, LOAD_OVER))) {
        uint64_t module = library->module;
        bool loaded = library->loaded[number] != NULL;
        library->load_state[number] = LOAD_END_TOLD;
        pthread_mutex_unlock(&registry_lock);
        if (loaded)
            nw_tool_device_unload(device, module);
        pthread_mutex_lock(&registry_lock);
    }
    pthread_mutex_unlock(&registry_lock);
}

/* Takes a library out of the registry; NULL if it is not there. */
static nw_library_t *take_out(const nw_library_description_t *description)
{
    pthread_mutex_lock(&registry_lock);
    nw_library_t **link = &libraries;
    while (*link && (*link)->description != description)
        link = &(*link)->next;
    nw_library_t *library = *link;
    if (library) {
        *link = library->next;
        remove_regions(library);
    }
    pthread_mutex_unlock(&registry_lock);
    return library;
}

/* Whether some region of the library is in flight. */
static bool is_in_use(const nw_library_description_t *description)
{
    bool in_use = false;
    pthread_mutex_lock(&registry_lock);
    region_table_t *table = atomic_load_explicit(&regions, memory_order_relaxed);
    for (size_t i = 0; table && i < table->capacity && !in_use; i++) {
        nw_region_t *region = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
        in_use = region && region->library && region->library->description == description &&
                 /* Acquire pairs with the release in nw_region_leave: what the region did comes before what follows. */
                 atomic_load_explicit(&region->in_flight, memory_order_acquire) > 0;
    }
    pthread_mutex_unlock(&registry_lock);
    return in_use;
}

/* Caller holds the loader's lock, so that no device is loading the library. */
static void unload_library(void *description)
{
    nw_library_t *library = take_out(description);
    if (!library)
        return;
    nw_entry_list_t entries = entries_of(library);
    for (int number = 0; number < NW_MAX_DEVICES; number++) {
        if (!library->loaded[number])
            continue;
        nw_core_device_t *device = nw_devices_peek(number);
        nw_globals_unload(device, &entries);
        nw_indirect_table_unload(device, &library->tables[number]);
        if (nw_tool_attached())
            nw_tool_device_unload(device, library->module);
        device->base.ops->image_unload(&device->base, library->loaded[number]);
    }
    for (int number = 0; number < NW_MAX_DEVICES; number++)
        free(library->refusals[number]);
    free(library);
}

void nw_images_unregister(nw_library_description_t *description)
{
    /* A kernel of this library may be running: its code must not go from under it. Those of others don't matter. */
    while (!nw_is_dying() && is_in_use(description))
        pause_shortly();
    /* After a fatal error kernels may still run, on images that must stay. */
    if (!nw_is_dying())
        nw_loader_locked(unload_library, description);
}

void nw_images_after_fork(void)
{
    pthread_mutex_init(&registry_lock, NULL);
    region_table_t *table = atomic_load_explicit(&regions, memory_order_relaxed);
    for (size_t i = 0; table && i < table->capacity; i++) {
        nw_region_t *region = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
        if (region)
            atomic_store_explicit(&region->in_flight, 0, memory_order_relaxed);
    }
}
