/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Device images and the host's table of what is in them: which kernel a region is, and which global variables have
 * device copies.
 *
 * Programs and libraries register descriptions from constructors, before main or later through dlopen, and take them
 * back at exit or dlclose. A device loads what it has not seen yet the next time it is used.
 */
#ifndef NW_IMAGES_H
#define NW_IMAGES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/devices.h"

/* Descriptions as clang's linker wrapper lays them out (__tgt_bin_desc, __tgt_device_image). */
typedef struct nw_image_description {
    void *start, *end;
    void *entries_begin, *entries_end;
} nw_image_description_t;

typedef struct nw_library_description {
    int32_t n_images;
    nw_image_description_t *images;
    void *entries_begin, *entries_end; /* host entries, in one of two layouts */
} nw_library_description_t;

_Static_assert(sizeof(nw_image_description_t) == 32, "__tgt_device_image");
_Static_assert(offsetof(nw_image_description_t, start) == 0, "__tgt_device_image");
_Static_assert(offsetof(nw_image_description_t, end) == 8, "__tgt_device_image");
_Static_assert(offsetof(nw_image_description_t, entries_begin) == 16, "__tgt_device_image");
_Static_assert(offsetof(nw_image_description_t, entries_end) == 24, "__tgt_device_image");
_Static_assert(sizeof(nw_library_description_t) == 32, "__tgt_bin_desc");
_Static_assert(offsetof(nw_library_description_t, n_images) == 0, "__tgt_bin_desc");
_Static_assert(offsetof(nw_library_description_t, images) == 8, "__tgt_bin_desc");
_Static_assert(offsetof(nw_library_description_t, entries_begin) == 16, "__tgt_bin_desc");
_Static_assert(offsetof(nw_library_description_t, entries_end) == 24, "__tgt_bin_desc");

/* One host entry, whatever its layout. */
typedef struct nw_entry {
    void *address; /* a region's id, or a variable */
    const char *name;
    size_t size;   /* 0: a region */
    uint32_t flags;
    uint64_t data;
} nw_entry_t;

enum {
    NW_ENTRY_LINK = 0x1,
    NW_ENTRY_INDIRECT = 0x8,
    NW_ENTRY_REQUIRES = 0x10,
    NW_ENTRY_INDIRECT_VTABLE = 0x20,
};

typedef enum nw_entry_layout { NW_ENTRIES_32, NW_ENTRIES_56, NW_ENTRIES_NEWER, NW_ENTRIES_UNKNOWN } nw_entry_layout_t;

/* Tells LLVM <= 20's 32-byte entries from LLVM >= 21's 56-byte ones by looking at all of them. NEWER: the first one has
 * a version of which nothing is known. */
nw_entry_layout_t nw_entries_layout(const void *begin, const void *end);

/* The version that the first entry carries; 0 if it has none (LLVM <= 20). */
unsigned nw_entries_version(const void *begin, const void *end);

/* The entries of one library. */
typedef struct nw_entry_list {
    nw_entry_layout_t layout;
    const void *begin, *end;
} nw_entry_list_t;

/* Reads entry i; false at the end. Entries of other languages come out with a NULL name. */
int nw_entries_get(nw_entry_layout_t layout, const void *begin, const void *end, size_t i, nw_entry_t *entry_p);

static inline int nw_entry_list_get(const nw_entry_list_t *list, size_t i, nw_entry_t *entry_p)
{
    return nw_entries_get(list->layout, list->begin, list->end, i, entry_p);
}

/* Looks through an OffloadBinary wrapper, if the bytes have one. NW_ERR_BAD_IMAGE if it is damaged. */
nw_status_t nw_offload_binary_unwrap(const void **start, size_t *size) NW_MUST_CHECK;

/* A target region of some registered library. */
typedef struct nw_region {
    void *id;
    const char *name;
    const struct nw_library *library;
    nw_entry_layout_t layout; /* of the entry: tells which LLVM has compiled the region */
    struct nw_region *next_retired;
    _Atomic uint32_t in_flight; /* operations that launch it and are not over */
    _Atomic(nw_kernel_t *) kernels[NW_MAX_DEVICES];
} nw_region_t;

/* An operation that launches the region begins, and is over: its library must stay in between. */
static inline void nw_region_enter(nw_region_t *region)
{
    atomic_fetch_add_explicit(&region->in_flight, 1, memory_order_relaxed);
}

static inline void nw_region_leave(nw_region_t *region)
{
    atomic_fetch_sub_explicit(&region->in_flight, 1, memory_order_release);
}

/* Registers and takes back a library. Threads: any. Unregistering blocks until no region of the library is in flight
 * and none of its variables is in use; those of other libraries don't matter. */
void nw_images_register(nw_library_description_t *description);
void nw_images_unregister(nw_library_description_t *description);

/* A number that changes whenever something is registered: 1 before anything has been. */
uint64_t nw_images_generation(void);

/* Loads every library that the device has not seen. Returns the generation that it has seen now; 0 if this thread is in
 * the middle of loading another one. Called with the loader's lock and no other. Blocks. */
uint64_t nw_images_load(nw_core_device_t *device);

/* True if some registered image is of a backend's kind. Threads: any. Blocks: for the registry's lock. */
bool nw_images_have_some_for(const nw_device_ops_t *ops);

/* Finds a region by the id that a construct passes; NULL if no registered library has it. Takes no lock. */
nw_region_t *nw_images_region(void *id);

/* Why the device has no code of the region's library; NULL: it has, and only this region is missing. The words live as
 * long as the library. region may be NULL. Threads: any, after nw_images_load for the device. */
const char *nw_images_refusal(const nw_region_t *region, const nw_core_device_t *device);

/* Tells the tool of the images that are still loaded on the device, which is about to end. */
void nw_images_tell_unload(nw_core_device_t *device);

/* After fork, in the child: no region is in flight here. */
void nw_images_after_fork(void);

#endif
