/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device images of the CPU device: x86-64 ELF shared objects, loaded once for each device so that each has its own
 * copy of the program's declare-target variables. */
#ifndef NW_HOST_IMAGE_H
#define NW_HOST_IMAGE_H

#include <stddef.h>

#include "device/device.h"

/* Says why the bytes are not a shared object of this machine's kind, or NULL if they are. */
const char *nw_host_image_refuse_kind(const void *start, size_t size);

/* As well, if it is not a whole one: what the loader takes for granted in it is checked. */
const char *nw_host_image_refuse(const void *start, size_t size);

/* Load, run constructors, run destructors and unload; see nw_device_ops. Block: file operations in memory. */
nw_status_t nw_host_image_load(const void *start, size_t size, nw_image_t **image_p);
void nw_host_image_start(nw_image_t *image);
void nw_host_image_unload(nw_image_t *image);
nw_status_t nw_host_image_symbol(nw_image_t *image, const char *name, nw_symbol_t *symbol_p);

/* A kernel of the CPU device. A call with more than a few arguments goes through libffi, prepared once. */
nw_status_t nw_host_kernel_find(nw_image_t *image, const char *name, nw_kernel_t **kernel_p);
nw_status_t nw_host_kernel_call(const nw_launch_t *launch);

#endif
