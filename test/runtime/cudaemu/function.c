/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of kernels, and what they may use. */
#include "cudaemu/emu.h"
#include "cudaemu/module.h"

/* Of capability 9.0: bytes of shared memory that a block may have at most when it asks for it, and a multiprocessor. */
enum { MAX_SHARED = 227 << 10, SHARED_OF_MULTIPROCESSOR = 228 << 10, THREADS_OF_MULTIPROCESSOR = 2048 };

static CUresult attribute_of(const function_t *function, CUfunction_attribute which, int *value_p)
{
    int binary = emu_settings.capability[function->module->context->device];
    switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value_p = function->info.max_threads;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value_p = (int)function->info.static_shared;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value_p = 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value_p = function->info.registers;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value_p = binary;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value_p = function->max_dynamic_shared;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value_p = -1;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuFuncGetAttribute(int *value_p, CUfunction_attribute which, CUfunction function)
{
    ENTER(cuFuncGetAttribute, NEEDS_CONTEXT);
    if (!value_p)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    CUresult result = emu_function_is(function) ? attribute_of(function, which, value_p) : CUDA_ERROR_INVALID_HANDLE;
    emu_unlock();
    return result;
}

static CUresult set_attribute(function_t *function, CUfunction_attribute which, int value)
{
    if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
        (size_t)value + function->info.static_shared > MAX_SHARED)
        return CUDA_ERROR_INVALID_VALUE;
    function->max_dynamic_shared = value;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value)
{
    ENTER(cuFuncSetAttribute, NEEDS_CONTEXT);
    emu_lock();
    CUresult result = emu_function_is(function) ? set_attribute(function, which, value) : CUDA_ERROR_INVALID_HANDLE;
    emu_unlock();
    return result;
}

CUresult cuFuncGetModule(CUmodule *module_p, CUfunction function)
{
    ENTER(cuFuncGetModule, NEEDS_CONTEXT);
    emu_lock();
    bool right = emu_function_is(function);
    if (right && module_p)
        *module_p = function->module;
    emu_unlock();
    return right ? module_p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

/* Of code of the host nothing is known, and there is no first parameter. */
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset_p, size_t *size_p)
{
    ENTER(cuFuncGetParamInfo, NEEDS_CONTEXT);
    CUresult result = CUDA_ERROR_INVALID_HANDLE;
    emu_lock();
    if (emu_function_is(function)) {
        result = offset_p && index < function->info.n_parameters ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        if (result == CUDA_SUCCESS) {
            *offset_p = function->info.parameters[index].offset;
            if (size_p)
                *size_p = function->info.parameters[index].size;
        }
    }
    emu_unlock();
    return result;
}

static int blocks_at_once(const function_t *function, int block, size_t dynamic_shared)
{
    size_t shared = function->info.static_shared + dynamic_shared;
    int by_threads = THREADS_OF_MULTIPROCESSOR / block;
    int by_shared = shared ? (int)(SHARED_OF_MULTIPROCESSOR / shared) : 32;
    int blocks = by_threads < by_shared ? by_threads : by_shared;
    return blocks < 32 ? blocks : 32;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks_p, CUfunction function, int block_size,
                                                     size_t dynamic_shared)
{
    ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor, NEEDS_CONTEXT);
    if (!blocks_p || block_size < 1)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    bool right = emu_function_is(function);
    if (right)
        *blocks_p = block_size > function->info.max_threads ? 0 : blocks_at_once(function, block_size, dynamic_shared);
    emu_unlock();
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid_p, int *block_p, CUfunction function,
                                          CUoccupancyB2DSize dynamic_shared_of_block, size_t dynamic_shared,
                                          int block_limit)
{
    ENTER(cuOccupancyMaxPotentialBlockSize, NEEDS_CONTEXT);
    if (!min_grid_p || !block_p)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    bool right = emu_function_is(function);
    int block = right ? function->info.max_threads : 0;
    emu_unlock();
    if (!right)
        return CUDA_ERROR_INVALID_HANDLE;
    if (block_limit > 0 && block > block_limit)
        block = block_limit;
    size_t shared = dynamic_shared_of_block ? dynamic_shared_of_block(block) : dynamic_shared;
    *block_p = block;
    *min_grid_p = 132 * blocks_at_once(function, block, shared);
    return CUDA_SUCCESS;
}
