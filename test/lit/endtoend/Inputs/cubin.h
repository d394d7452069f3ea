/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For programs whose only image is a file that the test has made (make_cubin.py), with one kernel, named "kernel". */
#ifndef NOWAIT_TEST_CUBIN_H
#define NOWAIT_TEST_CUBIN_H

#include "check.h"
#include "omptarget.h"

static char cubin_bytes[1 << 17] __attribute__((aligned(64)));
static char kernel_id;
static struct entry cubin_entry = {&kernel_id, "kernel", 0, 0, 0};
static struct image cubin_image = {cubin_bytes, cubin_bytes, &cubin_entry, &cubin_entry + 1};
static struct description cubin = {1, &cubin_image, &cubin_entry, &cubin_entry + 1};

static void register_cubin(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t size = fread(cubin_bytes, 1, sizeof cubin_bytes, file);
    CHECK(size < sizeof cubin_bytes);
    fclose(file);
    cubin_image.end = cubin_bytes + size;
    __tgt_register_lib(&cubin);
}

/* Runs the kernel, whose only argument is the implicit one, and returns when it is over. */
static void run_kernel(int device)
{
    struct kernel_args arguments = {.version = 3, .teams = {1, 1, 1}, .threads = {1, 1, 1}};
    CHECK_EQ(__tgt_target_kernel(NULL, device, -1, 0, &kernel_id, &arguments), 0);
}

#endif
