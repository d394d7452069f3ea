/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches of kernels. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cudaemu/emu.h"
#include "cudaemu/fault.h"
#include "cudaemu/module.h"
#include "cudaemu/stream.h"

/* What a test has registered for kernels of a name. */
typedef struct registered {
    char *pattern;
    void (*function)(const cudaemu_launch_t *launch, void *data);
    void *data;
    struct registered *next;
} registered_t;

static registered_t *all_registered; /* newest first; lock held */
static uint64_t registered_version = 1;

void cudaemu_kernel(const char *pattern, void (*function)(const cudaemu_launch_t *launch, void *data), void *data)
{
    registered_t *new = emu_alloc(sizeof *new);
    *new = (registered_t){.pattern = strdup(pattern), .function = function, .data = data};
    emu_lock();
    new->next = all_registered;
    all_registered = new;
    registered_version++;
    emu_unlock();
}

/* --- what a kernel does --------------------------------------------------------------------------------------- */

static const registered_t *registered_of(function_t *function)
{
    if (function->registered_version != registered_version) {
        registered_t *r = all_registered;
        while (r && fnmatch(r->pattern, function->name, 0) != 0)
            r = r->next;
        function->registered = r && r->function ? r : NULL;
        function->registered_version = registered_version;
    }
    return function->registered;
}

bool emu_function_is_code(function_t *function)
{
    return function->code || registered_of(function);
}

void emu_function_run(const kernel_command_t *kernel)
{
    function_t *function = kernel->function;
    const char *arguments = kernel->arguments ? kernel->arguments : kernel->few;
    if (function->code) {
        emu_native_call(function->code, (const uint64_t *)(const void *)arguments, kernel->size / sizeof(uint64_t));
        return;
    }
    cudaemu_launch_t launch = {.kernel = function->name,
                               .dynamic_shared = kernel->dynamic_shared,
                               .arguments = arguments,
                               .size = kernel->size};
    memcpy(launch.grid, kernel->grid, sizeof launch.grid);
    memcpy(launch.block, kernel->block, sizeof launch.block);
    emu_lock();
    const registered_t *registered = registered_of(function);
    emu_unlock();
    if (registered)
        registered->function(&launch, registered->data);
}

/* --- the argument buffer -------------------------------------------------------------------------------------- */

static char *room_for(kernel_command_t *kernel, size_t size)
{
    kernel->size = size;
    kernel->arguments = size > sizeof kernel->few ? emu_alloc(size) : NULL;
    return kernel->arguments ? kernel->arguments : kernel->few;
}

/* `extra`: pairs of a mark and a value. */
static CUresult take_buffer(kernel_command_t *kernel, void **extra)
{
    const void *buffer = NULL;
    const size_t *size = NULL;
    for (; extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (!size || (*size && !buffer))
        return CUDA_ERROR_INVALID_VALUE;
    /* The driver knows a cubin's parameters, and takes no buffer of another size. */
    const cubin_kernel_t *info = &kernel->function->info;
    if (info->n_parameters && *size != info->arguments)
        return CUDA_ERROR_INVALID_VALUE;
    if (*size)
        memcpy(room_for(kernel, *size), buffer, *size);
    return CUDA_SUCCESS;
}

/* `parameters`: a pointer to each; their sizes are known from the cubin only. */
static CUresult take_parameters(kernel_command_t *kernel, void **parameters)
{
    const cubin_kernel_t *info = &kernel->function->info;
    if (info->n_parameters && !parameters)
        return CUDA_ERROR_INVALID_VALUE;
    if (!kernel->function->module->is_cubin && parameters) {
        emu_misuse("kernel %s is x86-64 code: pass its arguments as a buffer, in `extra`", kernel->function->name);
        return CUDA_ERROR_INVALID_VALUE;
    }
    char *room = info->arguments ? room_for(kernel, info->arguments) : NULL;
    for (size_t i = 0; i < info->n_parameters; i++) {
        const cubin_parameter_t *parameter = &info->parameters[i];
        if (!room || (size_t)parameter->offset + parameter->size > info->arguments)
            return CUDA_ERROR_INVALID_IMAGE;
        memcpy(room + parameter->offset, parameters[i], parameter->size);
    }
    return CUDA_SUCCESS;
}

/* --- the launch ----------------------------------------------------------------------------------------------- */

static CUresult check_geometry(const kernel_command_t *kernel)
{
    const unsigned int *grid = kernel->grid, *block = kernel->block;
    if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2])
        return CUDA_ERROR_INVALID_VALUE;
    if (grid[0] > 2147483647u || grid[1] > 65535 || grid[2] > 65535 || block[0] > 1024 || block[1] > 1024 ||
        block[2] > 64)
        return CUDA_ERROR_INVALID_VALUE;
    if ((uint64_t)block[0] * block[1] * block[2] > (uint64_t)kernel->function->info.max_threads ||
        kernel->dynamic_shared > (unsigned int)kernel->function->max_dynamic_shared)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static uint64_t modelled_time(function_t *function)
{
    if (function->time_version != emu_kernel_times_version()) {
        function->time = emu_kernel_time(function->name);
        function->time_version = emu_kernel_times_version();
    }
    return function->time;
}

static CUresult prepare(kernel_command_t *kernel, void **parameters, void **extra)
{
    CUresult result = check_geometry(kernel);
    if (result != CUDA_SUCCESS)
        return result;
    if (extra && extra[0] != CU_LAUNCH_PARAM_END)
        return parameters ? CUDA_ERROR_INVALID_VALUE : take_buffer(kernel, extra);
    return take_parameters(kernel, parameters);
}

static CUresult launch(const kernel_command_t *wanted, CUstream handle, void **parameters, void **extra)
{
    if (!emu_function_is(wanted->function))
        return CUDA_ERROR_INVALID_HANDLE;
    stream_t *stream;
    CUresult result = emu_stream_to_issue(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream->context != wanted->function->module->context)
        return CUDA_ERROR_INVALID_HANDLE;
    command_t *command = emu_command_new(COMMAND_KERNEL);
    kernel_command_t *kernel = &command->kernel;
    kernel->function = wanted->function;
    kernel->dynamic_shared = wanted->dynamic_shared;
    memcpy(kernel->grid, wanted->grid, sizeof kernel->grid);
    memcpy(kernel->block, wanted->block, sizeof kernel->block);
    kernel->size = 0;
    kernel->arguments = NULL;
    kernel->result = emu_fault_of_kernel(wanted->function->name);
    result = prepare(kernel, parameters, extra);
    if (result != CUDA_SUCCESS) {
        emu_command_free(command);
        return result;
    }
    command->duration = modelled_time(kernel->function);
    emu_issue(stream, command);
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int dynamic_shared,
                        CUstream stream, void **parameters, void **extra)
{
    ENTER(cuLaunchKernel, NEEDS_STREAM);
    kernel_command_t wanted;
    wanted.function = function;
    wanted.dynamic_shared = dynamic_shared;
    memcpy(wanted.grid, (unsigned int[]){grid_x, grid_y, grid_z}, sizeof wanted.grid);
    memcpy(wanted.block, (unsigned int[]){block_x, block_y, block_z}, sizeof wanted.block);
    emu_lock();
    CUresult result = launch(&wanted, stream, parameters, extra);
    emu_unlock();
    return result;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    ENTER(cuLaunchKernelEx, NEEDS_STREAM);
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    if (config->numAttrs)
        return CUDA_ERROR_NOT_SUPPORTED;
    kernel_command_t wanted;
    wanted.function = function;
    wanted.dynamic_shared = config->sharedMemBytes;
    memcpy(wanted.grid, (unsigned int[]){config->gridDimX, config->gridDimY, config->gridDimZ}, sizeof wanted.grid);
    memcpy(wanted.block, (unsigned int[]){config->blockDimX, config->blockDimY, config->blockDimZ},
           sizeof wanted.block);
    emu_lock();
    CUresult result = launch(&wanted, config->hStream, parameters, extra);
    emu_unlock();
    return result;
}
