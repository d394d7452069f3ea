/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Constructors and destructors of an image of the CPU devices, which the system's loader is not told of: nothing of the
 * image runs before it has been found whole and its variables have been set up, as on other devices.
 */
#ifndef NW_HOST_CONSTRUCTORS_H
#define NW_HOST_CONSTRUCTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/host/host_elf.h"
#include "device/host/host_image_file.h"

/* Addresses in the process; NULL: there is none. */
typedef struct nw_host_constructors {
    const uint64_t *constructors, *destructors; /* words of the loaded image */
    size_t n_constructors, n_destructors;
    uint64_t init, fini; /* the older form of both; 0: none */
    bool have_run;
} nw_host_constructors_t;

/* Takes them out of the dynamic section of the file, which has been written from the object. */
nw_status_t nw_host_constructors_hide(const nw_host_elf_t *elf, const nw_host_image_file_t *file) NW_MUST_CHECK;

/* Finds them in the object that has been loaded at this base; false if one lies outside of its code. */
bool nw_host_constructors_find(const nw_host_elf_t *elf, uint64_t base, nw_host_constructors_t *found);

/* Run what has been found. Destructors: only of what has been constructed. */
void nw_host_constructors_run(nw_host_constructors_t *image);
void nw_host_destructors_run(nw_host_constructors_t *image);

#endif
