/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies. Which of them wait, as the driver's reference says ("API synchronization behavior"):
 *
 *   asynchronous, host memory page-locked or managed   never
 *   asynchronous, to the device, pageable              a small one is staged at once; else the stream is waited for
 *   asynchronous, to the host, pageable                until the copy is over
 *   synchronous, between host and device               until the copy is over
 *   synchronous, within a device                       never
 */
#include <stdlib.h>
#include <string.h>

#include "cudaemu/emu.h"
#include "cudaemu/memory.h"
#include "cudaemu/stream.h"

/* The bytes that a side of a copy spans. */
static size_t span(const copy_command_t *copy, size_t pitch, size_t slice)
{
    if (!copy->width || !copy->rows || !copy->slices)
        return 0;
    return (copy->slices - 1) * slice + (copy->rows - 1) * pitch + copy->width;
}

static uint64_t modelled_time(size_t bytes)
{
    uint64_t bandwidth = emu_settings.copy_bandwidth;
    return emu_settings.copy_ns + (bandwidth ? (uint64_t)((double)bytes * 1e9 / (double)bandwidth) : 0);
}

static command_t *copy_command(const copy_command_t *copy)
{
    command_t *command = emu_command_new(COMMAND_COPY);
    command->copy = *copy;
    command->duration = modelled_time(copy->width * copy->rows * copy->slices);
    return command;
}

/* Takes the source's bytes now, so that the program may change them. */
static void stage(copy_command_t *copy)
{
    size_t size = span(copy, copy->from_pitch, copy->from_slice);
    copy->staged = emu_alloc(size);
    memcpy(copy->staged, copy->from, size);
    copy->from = copy->staged;
}

static bool is_pageable(const void *host)
{
    return emu_memory_find(host) == NULL;
}

/* Whether the device's sides of a copy are memory that the driver knows. */
static bool is_valid(const copy_command_t *copy)
{
    size_t to = span(copy, copy->to_pitch, copy->to_slice);
    size_t from = span(copy, copy->from_pitch, copy->from_slice);
    return (copy->direction == COPY_OUT || emu_memory_of_range(copy->to, to)) &&
           (copy->direction == COPY_IN || emu_memory_of_range(copy->from, from));
}

static CUresult issue(copy_command_t *copy, CUstream handle, bool synchronous)
{
    stream_t *stream;
    CUresult result = emu_stream_to_issue(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (span(copy, 0, 0) == 0)
        return CUDA_SUCCESS;
    if (!is_valid(copy))
        return CUDA_ERROR_INVALID_VALUE;
    bool waits = synchronous && copy->direction != COPY_WITHIN;
    if (copy->direction == COPY_OUT && is_pageable(copy->to))
        waits = true;
    if (copy->direction == COPY_IN && is_pageable(copy->from)) {
        if (span(copy, copy->from_pitch, copy->from_slice) <= emu_settings.staging)
            stage(copy);
        else
            waits = true;
    }
    emu_issue(stream, copy_command(copy));
    if (!waits)
        return CUDA_SUCCESS;
    emu_count_blocked();
    return emu_wait_for_stream(stream);
}

static CUresult copy_box(copy_command_t copy, CUstream stream, bool synchronous)
{
    emu_lock();
    CUresult result = issue(&copy, stream, synchronous);
    emu_unlock();
    return result;
}

static CUresult copy_bytes(void *to, const void *from, size_t size, copy_direction_t direction, CUstream stream,
                           bool synchronous)
{
    if (size && (!to || !from))
        return CUDA_ERROR_INVALID_VALUE;
    copy_command_t copy = {.to = to, .from = from, .width = size, .rows = 1, .slices = 1, .direction = direction};
    return copy_box(copy, stream, synchronous);
}

/* --- plain copies --------------------------------------------------------------------------------------------- */

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
    ENTER(cuMemcpyHtoD, NEEDS_CONTEXT);
    return copy_bytes((void *)to, from, size, COPY_IN, NULL, true);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
    ENTER(cuMemcpyDtoH, NEEDS_CONTEXT);
    return copy_bytes(to, (const void *)from, size, COPY_OUT, NULL, true);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    ENTER(cuMemcpyDtoD, NEEDS_CONTEXT);
    return copy_bytes((void *)to, (const void *)from, size, COPY_WITHIN, NULL, true);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
    ENTER(cuMemcpyHtoDAsync, NEEDS_STREAM);
    return copy_bytes((void *)to, from, size, COPY_IN, stream, false);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER(cuMemcpyDtoHAsync, NEEDS_STREAM);
    return copy_bytes(to, (const void *)from, size, COPY_OUT, stream, false);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER(cuMemcpyDtoDAsync, NEEDS_STREAM);
    return copy_bytes((void *)to, (const void *)from, size, COPY_WITHIN, stream, false);
}

/* What the addresses are says which way a copy of cuMemcpy goes. */
static CUresult copy_unified(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream, bool synchronous)
{
    emu_lock();
    bool from_known = emu_memory_find((void *)from), to_known = emu_memory_find((void *)to);
    emu_unlock();
    if (size && !from_known && !to_known)
        return CUDA_ERROR_INVALID_VALUE;
    copy_direction_t direction = !from_known ? COPY_IN : !to_known ? COPY_OUT : COPY_WITHIN;
    return copy_bytes((void *)to, (const void *)from, size, direction, stream, synchronous);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    ENTER(cuMemcpy, NEEDS_CONTEXT);
    return copy_unified(to, from, size, NULL, true);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER(cuMemcpyAsync, NEEDS_STREAM);
    return copy_unified(to, from, size, stream, false);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size)
{
    ENTER(cuMemcpyPeer, NEEDS_CONTEXT);
    if (!emu_context_is(to_context) || !emu_context_is(from_context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return copy_bytes((void *)to, (const void *)from, size, COPY_WITHIN, NULL, true);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size,
                           CUstream stream)
{
    ENTER(cuMemcpyPeerAsync, NEEDS_STREAM);
    if (!emu_context_is(to_context) || !emu_context_is(from_context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return copy_bytes((void *)to, (const void *)from, size, COPY_WITHIN, stream, false);
}

/* --- boxes ---------------------------------------------------------------------------------------------------- */

/* One side of a box. Returns NULL for memory of a kind that is not emulated (arrays). */
static char *side(CUmemorytype type, const void *host, CUdeviceptr device, size_t offset)
{
    char *start = type == CU_MEMORYTYPE_HOST ? (char *)host : (char *)device;
    return type != CU_MEMORYTYPE_ARRAY && start ? start + offset : NULL;
}

static CUresult copy_3d(const CUDA_MEMCPY3D *box, CUstream stream, bool synchronous)
{
    if (!box)
        return CUDA_ERROR_INVALID_VALUE;
    bool from_host = box->srcMemoryType == CU_MEMORYTYPE_HOST, to_host = box->dstMemoryType == CU_MEMORYTYPE_HOST;
    copy_command_t copy = {
        .width = box->WidthInBytes,
        .rows = box->Height,
        .slices = box->Depth,
        .from_pitch = box->srcPitch ? box->srcPitch : box->WidthInBytes,
        .to_pitch = box->dstPitch ? box->dstPitch : box->WidthInBytes,
        .direction = from_host ? COPY_IN
                     : to_host ? COPY_OUT
                               : COPY_WITHIN,
    };
    copy.from_slice = copy.from_pitch * (box->srcHeight ? box->srcHeight : box->Height);
    copy.to_slice = copy.to_pitch * (box->dstHeight ? box->dstHeight : box->Height);
    if ((from_host && to_host) || copy.from_pitch < copy.width || copy.to_pitch < copy.width)
        return CUDA_ERROR_INVALID_VALUE;
    copy.from = side(box->srcMemoryType, box->srcHost, box->srcDevice,
                     box->srcZ * copy.from_slice + box->srcY * copy.from_pitch + box->srcXInBytes);
    copy.to = side(box->dstMemoryType, box->dstHost, box->dstDevice,
                   box->dstZ * copy.to_slice + box->dstY * copy.to_pitch + box->dstXInBytes);
    return copy.from && copy.to ? copy_box(copy, stream, synchronous) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *box, CUstream stream, bool synchronous)
{
    if (!box)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D deep = {
        .srcXInBytes = box->srcXInBytes,
        .srcY = box->srcY,
        .srcMemoryType = box->srcMemoryType,
        .srcHost = box->srcHost,
        .srcDevice = box->srcDevice,
        .srcPitch = box->srcPitch,
        .dstXInBytes = box->dstXInBytes,
        .dstY = box->dstY,
        .dstMemoryType = box->dstMemoryType,
        .dstHost = box->dstHost,
        .dstDevice = box->dstDevice,
        .dstPitch = box->dstPitch,
        .WidthInBytes = box->WidthInBytes,
        .Height = box->Height,
        .Depth = 1,
    };
    return copy_3d(&deep, stream, synchronous);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
    ENTER(cuMemcpy2D, NEEDS_CONTEXT);
    return copy_2d(copy, NULL, true);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    ENTER(cuMemcpy2DAsync, NEEDS_STREAM);
    return copy_2d(copy, stream, false);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
    ENTER(cuMemcpy3D, NEEDS_CONTEXT);
    return copy_3d(copy, NULL, true);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    ENTER(cuMemcpy3DAsync, NEEDS_STREAM);
    return copy_3d(copy, stream, false);
}
