/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fills of device memory. None of them waits. */
#include "cudaemu/emu.h"
#include "cudaemu/memory.h"
#include "cudaemu/stream.h"

static CUresult fill(CUdeviceptr address, uint32_t value, uint8_t element, size_t width, size_t rows, size_t pitch,
                     CUstream handle)
{
    stream_t *stream;
    size_t row = width * element;
    if (address % element || (rows > 1 && pitch < row))
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    CUresult result = emu_stream_to_issue(handle, &stream);
    if (result == CUDA_SUCCESS && row && rows) {
        if (!emu_memory_of_range((void *)address, (rows - 1) * pitch + row)) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            command_t *command = emu_command_new(COMMAND_FILL);
            command->fill = (fill_command_t){.to = (char *)address,
                                             .width = width,
                                             .rows = rows,
                                             .pitch = pitch,
                                             .value = value,
                                             .element = element};
            emu_issue(stream, command);
        }
    }
    emu_unlock();
    return result;
}

CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t count)
{
    ENTER(cuMemsetD8, NEEDS_CONTEXT);
    return fill(address, value, 1, count, 1, 0, NULL);
}

CUresult cuMemsetD16_v2(CUdeviceptr address, unsigned short value, size_t count)
{
    ENTER(cuMemsetD16, NEEDS_CONTEXT);
    return fill(address, value, 2, count, 1, 0, NULL);
}

CUresult cuMemsetD32_v2(CUdeviceptr address, unsigned int value, size_t count)
{
    ENTER(cuMemsetD32, NEEDS_CONTEXT);
    return fill(address, value, 4, count, 1, 0, NULL);
}

CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream)
{
    ENTER(cuMemsetD8Async, NEEDS_STREAM);
    return fill(address, value, 1, count, 1, 0, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr address, unsigned short value, size_t count, CUstream stream)
{
    ENTER(cuMemsetD16Async, NEEDS_STREAM);
    return fill(address, value, 2, count, 1, 0, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned int value, size_t count, CUstream stream)
{
    ENTER(cuMemsetD32Async, NEEDS_STREAM);
    return fill(address, value, 4, count, 1, 0, stream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr address, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream)
{
    ENTER(cuMemsetD2D8Async, NEEDS_STREAM);
    return fill(address, value, 1, width, height, pitch, stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr address, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream)
{
    ENTER(cuMemsetD2D16Async, NEEDS_STREAM);
    return fill(address, value, 2, width, height, pitch, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr address, size_t pitch, unsigned int value, size_t width, size_t height,
                            CUstream stream)
{
    ENTER(cuMemsetD2D32Async, NEEDS_STREAM);
    return fill(address, value, 4, width, height, pitch, stream);
}
