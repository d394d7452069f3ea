/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The file that the system's loader opens an image of the CPU devices by.
 *
 * It lies in memory, where nothing can change it any more, under a name that other processes can open, too: a debugger
 * opens whatever the loader says that it has loaded. Where NOWAIT_IMAGE_FOLDER names a folder it is an ordinary file,
 * for what looks for it by the name that the kernel gives to the mapping (perf, valgrind) or after the process is gone.
 */
#ifndef NW_HOST_IMAGE_FILE_H
#define NW_HOST_IMAGE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "support/status.h"

typedef struct nw_host_image_file {
    int descriptor;
    char *path; /* no other file of the process has it while this one is open */
} nw_host_image_file_t;

/* Makes an empty file; after a failure there is a reason. Owns: the caller, until nw_host_image_file_close. Blocks:
 * file operations. */
nw_status_t nw_host_image_file_open(nw_host_image_file_t *file) NW_MUST_CHECK;

/* Writes bytes at an offset; after a failure there is a reason. */
nw_status_t nw_host_image_file_write(const nw_host_image_file_t *file, uint64_t offset, const void *bytes,
                                     size_t size) NW_MUST_CHECK;

/* Nothing in it changes from now on, if it lies in memory. */
void nw_host_image_file_seal(const nw_host_image_file_t *file);

/* An ordinary file stays in its folder. */
void nw_host_image_file_close(nw_host_image_file_t *file);

/* Instead: nobody closes the file any more, and its path remains its own. */
void nw_host_image_file_leave_open(nw_host_image_file_t *file);

#endif
