/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the emulated driver's own tests share. They are linked with it, by the functions' real names. */
#ifndef EMU_TEST_H
#define EMU_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "support/harness.h"

#include "cudaemu/emu.h"
#include "cudaemu/settings.h"

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)

/* A context of device 0, current in the calling thread. */
static inline CUcontext begin_context(void)
{
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    return context;
}

static inline CUstream new_stream(void)
{
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static inline CUdeviceptr device_memory(size_t size)
{
    CUdeviceptr address;
    OK(cuMemAlloc_v2(&address, size));
    return address;
}

static inline void *pinned_memory(size_t size)
{
    void *address;
    OK(cuMemHostAlloc(&address, size, 0));
    return address;
}

/* The bytes of one of the images that the build makes; freed by the caller. */
static inline void *read_image(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, IMAGES "/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = calloc(1, 1 << 20);
    assert_true(fread(bytes, 1, 1 << 20, file) > 64);
    fclose(file);
    return bytes;
}

static inline CUmodule load_image(const char *name)
{
    CUmodule loaded;
    void *bytes = read_image(name);
    OK(cuModuleLoadDataEx(&loaded, bytes, 0, NULL, NULL));
    free(bytes); /* the driver has its own copy */
    return loaded;
}

static inline CUfunction function_of(CUmodule module, const char *name)
{
    CUfunction function;
    OK(cuModuleGetFunction(&function, module, name));
    return function;
}

#endif
