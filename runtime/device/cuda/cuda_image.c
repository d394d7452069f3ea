/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_backend.h"
#include "device/cuda/cuda_binary.h"
#include "device/cuda/cuda_constructors.h"
#include "device/cuda/cuda_copy.h"
#include "support/log.h"
#include "support/reason.h"
#include "support/settings.h"

struct nw_image {
    CUmodule module;
    nw_kernel_t *kernels;
    char *text; /* PTX, which the driver wants to end with a zero */
    nw_cuda_constructors_t constructors, destructors;
};

/* The host's part of the device runtime's state (DeviceEnvironmentTy of LLVM 19 and 22). Core adds the table of
 * functions that are called indirectly. */
typedef struct device_environment {
    uint32_t debug_kind;
    uint32_t n_devices;
    uint32_t device_number;
    uint32_t dynamic_memory;
    uint64_t clock_frequency; /* of omp_get_wtick: the timer counts nanoseconds */
    void *indirect_table;
    uint64_t indirect_length;
    uint64_t hardware_parallelism; /* warps that can run at a time */
} device_environment_t;

_Static_assert(sizeof(device_environment_t) == 48, "DeviceEnvironmentTy");

#define JIT_LOG_SIZE 1024u

CUmodule nw_cuda_image_module(const nw_image_t *image)
{
    return image->module;
}

const char *nw_cuda_image_refuse(const nw_device_t *device, const void *start, size_t size)
{
    nw_cuda_binary_t binary = nw_cuda_binary_examine(start, size);
    if (!device) {
        bool ours = binary.kind == NW_CUDA_CUBIN || binary.kind == NW_CUDA_PTX ||
                    (binary.kind == NW_CUDA_HOST_IMAGE && nw_cuda.takes_host_images);
        return ours ? NULL : "not for a CUDA device";
    }
    if (nw_cuda_image_rank(device, start, size) > 0)
        return NULL;
    const nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    char what[64];
    nw_cuda_binary_describe(&binary, what, sizeof what);
    nw_reason_set("found %s, the device (%s) wants sm_%d%d", what, gpu->name, gpu->major, gpu->minor);
    return nw_reason_take(what);
}

int nw_cuda_image_rank(const nw_device_t *device, const void *start, size_t size)
{
    const nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    nw_cuda_binary_t binary = nw_cuda_binary_examine(start, size);
    return nw_cuda_binary_rank(&binary, gpu->major, gpu->minor, nw_cuda.takes_host_images);
}

static nw_status_t load_module(nw_image_t *image, const void *start)
{
    char log[JIT_LOG_SIZE] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUresult result = nw_cuda.cuModuleLoadDataEx(&image->module, start, 2, options, values);
    if (result == CUDA_SUCCESS)
        return NW_OK;
    /* One line: the log may have many. */
    log[strcspn(log, "\n")] = '\0';
    nw_reason_set("the driver refuses the image: %s (cuModuleLoadDataEx)%s%s", nw_cuda_words(result),
                  *log ? ": " : "", log);
    return nw_cuda_status(result);
}

nw_status_t nw_cuda_image_symbol(nw_device_t *device, nw_image_t *image, const char *name, nw_symbol_t *symbol_p)
{
    CUdeviceptr address;
    size_t size;
    const char *call = "cuCtxSetCurrent";
    CUresult result = nw_cuda_enter(nw_cuda_gpu_of(device));
    if (result == CUDA_SUCCESS) {
        call = "cuModuleGetGlobal";
        result = nw_cuda.cuModuleGetGlobal(&address, &size, image->module, name);
    }
    if (result == CUDA_SUCCESS)
        *symbol_p = (nw_symbol_t){.address = (void *)(uintptr_t)address, .size = size};
    nw_status_t status = nw_cuda_status(result);
    return status == NW_OK || status == NW_ERR_NO_KERNEL ? status : nw_cuda_failed(result, call, name);
}

/* Tells the image's device runtime where it runs. An image without a device runtime has no place for that. */
static nw_status_t write_environment(nw_device_t *device, nw_image_t *image)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    device_environment_t environment = {
        .n_devices = (uint32_t)nw_cuda_backend_devices(),
        .device_number = (uint32_t)device->number,
        .clock_frequency = 1000000000,
        .hardware_parallelism = gpu->multiprocessors * (uint64_t)(gpu->max_threads_resident / gpu->warp),
    };
    nw_symbol_t symbol;
    nw_status_t status = nw_cuda_image_symbol(device, image, "__omp_rtl_device_environment", &symbol);
    if (status == NW_ERR_NO_KERNEL)
        return NW_OK;
    size_t size = symbol.size < sizeof environment ? symbol.size : sizeof environment;
    return status == NW_OK ? nw_cuda_copy_in(device, symbol.address, &environment, size) : status;
}

static void forget(nw_image_t *image)
{
    nw_cuda_constructors_forget(&image->constructors);
    nw_cuda_constructors_forget(&image->destructors);
    free(image->text);
    free(image);
}

nw_status_t nw_cuda_image_load(nw_device_t *device, const void *start, size_t size, nw_image_t **image_p)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    nw_cuda_binary_t binary = nw_cuda_binary_examine(start, size);
    nw_image_t *image = calloc(1, sizeof *image);
    nw_status_t status = NW_ERR_NO_MEMORY;
    if (!image)
        return status;
    if (binary.kind == NW_CUDA_PTX) {
        image->text = strndup(start, size);
        if (!image->text)
            goto forget;
        start = image->text;
    }
    CUresult result = nw_cuda_enter(gpu);
    status = result == CUDA_SUCCESS ? load_module(image, start)
                                    : nw_cuda_failed(result, "cuCtxSetCurrent", "the device cannot be used");
    if (status != NW_OK)
        goto forget;
    if (binary.kind == NW_CUDA_CUBIN || binary.kind == NW_CUDA_PTX)
        status = nw_cuda_constructors_find(start, size, binary.kind == NW_CUDA_PTX, &image->constructors,
                                           &image->destructors);
    if (status == NW_OK)
        status = write_environment(device, image);
    if (status != NW_OK)
        goto unload;
    atomic_fetch_add_explicit(&gpu->images, 1, memory_order_relaxed);
    *image_p = image;
    return NW_OK;

unload:
    (void)nw_cuda.cuModuleUnload(image->module);
forget:
    forget(image);
    return status;
}

/* A kernel without an environment has no OpenMP prologue. */
static nw_status_t read_environment(nw_device_t *device, nw_image_t *image, const char *kernel,
                                    nw_cuda_kernel_environment_t *environment_p)
{
    unsigned char bytes[NW_CUDA_KERNEL_ENVIRONMENT_SIZE];
    nw_symbol_t symbol;
    char name[1024];
    *environment_p = (nw_cuda_kernel_environment_t){.mode = NW_CUDA_BARE};
    if (snprintf(name, sizeof name, "%s_kernel_environment", kernel) >= (int)sizeof name)
        return NW_ERR_UNSUPPORTED;
    nw_status_t status = nw_cuda_image_symbol(device, image, name, &symbol);
    if (status == NW_ERR_NO_KERNEL)
        return NW_OK;
    if (status == NW_OK && symbol.size < sizeof bytes) {
        nw_reason_set("%s has %zu bytes; compile with LLVM 19 or 22", name, symbol.size);
        return NW_ERR_BAD_IMAGE;
    }
    if (status == NW_OK)
        status = nw_cuda_copy_out(device, bytes, symbol.address, sizeof bytes);
    if (status == NW_OK)
        nw_cuda_kernel_environment_read(bytes, environment_p);
    return status;
}

static uint32_t lowered(uint32_t limit, int64_t wanted)
{
    return wanted < (int64_t)limit ? (uint32_t)wanted : limit;
}

nw_status_t nw_cuda_image_kernel(nw_device_t *device, nw_image_t *image, const char *name, nw_kernel_t **kernel_p)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    nw_cuda_kernel_environment_t environment;
    int most_threads;
    nw_kernel_t *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return NW_ERR_NO_MEMORY;
    const char *call = "cuCtxSetCurrent";
    CUresult result = nw_cuda_enter(gpu);
    if (result == CUDA_SUCCESS) {
        call = "cuModuleGetFunction";
        result = nw_cuda.cuModuleGetFunction(&kernel->function, image->module, name);
    }
    if (result == CUDA_SUCCESS) {
        call = "cuFuncGetAttribute";
        result = nw_cuda.cuFuncGetAttribute(&most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->function);
    }
    nw_status_t status = nw_cuda_status(result);
    if (status != NW_OK && status != NW_ERR_NO_KERNEL)
        (void)nw_cuda_failed(result, call, name);
    if (status == NW_OK)
        status = read_environment(device, image, name, &environment);
    if (status != NW_OK) {
        free(kernel);
        return status;
    }
    kernel->shape = nw_cuda_shape(&environment, lowered(gpu->max_threads, nw_settings.teams_thread_limit),
                                  (uint32_t)most_threads, lowered(gpu->max_blocks, nw_settings.num_teams), gpu->warp);
    if (environment.reduction_size > 0 && environment.reduction_length > 0)
        kernel->reduction_bytes = (uint64_t)environment.reduction_size * (uint64_t)environment.reduction_length;
    kernel->next = image->kernels;
    image->kernels = kernel;
    *kernel_p = kernel;
    return NW_OK;
}

nw_status_t nw_cuda_image_start(nw_device_t *device, nw_image_t *image)
{
    return nw_cuda_constructors_run(device, image, &image->constructors);
}

void nw_cuda_image_unload(nw_device_t *device, nw_image_t *image)
{
    nw_cuda_gpu_t *gpu = nw_cuda_gpu_of(device);
    if (nw_cuda_enter(gpu) == CUDA_SUCCESS) {
        if (nw_cuda_constructors_run(device, image, &image->destructors) != NW_OK)
            nw_log(NW_LOG_WARNING, "device %d: destructors have not run: %s", device->number,
                   nw_reason_take("out of device memory"));
        /* What device code has printed comes out at the latest now. */
        (void)nw_cuda.cuCtxSynchronize();
        (void)nw_cuda.cuModuleUnload(image->module);
    }
    while (image->kernels) {
        nw_kernel_t *next = image->kernels->next;
        free(image->kernels);
        image->kernels = next;
    }
    forget(image);
    if (atomic_fetch_sub_explicit(&gpu->images, 1, memory_order_acq_rel) == 1)
        nw_cuda_backend_image_gone();
}
