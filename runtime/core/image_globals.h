/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an image holds besides kernels: global variables, which are mapped for as long as the image is loaded, and
 * functions that are called through pointers.
 *
 * A pointer to such a function (declare target indirect) is mapped like one to a variable: a region gets the device's
 * address for it. One that reaches the device in other ways holds the host's; device code of GPUs finds the device's in
 * a table that the device environment of the image leads to (llvm's openmp/device/src/Misc.cpp). On the CPU device the
 * host's address itself can be called, and images have no such environment.
 */
#ifndef NW_IMAGE_GLOBALS_H
#define NW_IMAGE_GLOBALS_H

#include "core/images.h"

/* Device memory of the table of an image; NULL if the image needs none. */
typedef struct nw_indirect_table {
    void *address;
    size_t size; /* bytes */
} nw_indirect_table_t;

/* Maps the variables and functions of an image. shared_memory: references to variables lead to the host's copies from
 * the start. */
void nw_globals_load(nw_core_device_t *device, nw_image_t *image, const nw_entry_list_t *entries, bool shared_memory);

/* Takes them out of the device's map table. Blocks: until no operation uses them. */
void nw_globals_unload(nw_core_device_t *device, const nw_entry_list_t *entries);

/* Makes the image's table of functions, if it has a device environment and such functions. */
nw_indirect_table_t nw_indirect_table_load(nw_core_device_t *device, nw_image_t *image, const nw_entry_list_t *entries);

void nw_indirect_table_unload(nw_core_device_t *device, nw_indirect_table_t *table);

#endif
