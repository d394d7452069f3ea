/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/context.h"

#include <stdlib.h>

#include "cudaemu/event.h"
#include "cudaemu/memory.h"
#include "cudaemu/module.h"
#include "cudaemu/stream.h"

context_t emu_contexts[MAX_DEVICES];

/* Contexts under the current one, from cuCtxPushCurrent. */
typedef struct thread_stack {
    CUcontext context;
    struct thread_stack *under;
} thread_stack_t;

void emu_contexts_begin(void)
{
    for (int i = 0; i < MAX_DEVICES; i++) {
        emu_contexts[i].device = i;
        emu_contexts[i].last_without_room = &emu_contexts[i].without_room;
        emu_contexts[i].limits[CU_LIMIT_STACK_SIZE] = 1024;
        emu_contexts[i].limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
        emu_contexts[i].limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
        emu_contexts[i].limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
        emu_contexts[i].limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
        emu_contexts[i].limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 128;
    }
}

context_t *emu_current(void)
{
    return emu_thread()->current;
}

context_t *emu_device(CUdevice device)
{
    return device >= 0 && (uint64_t)device < emu_settings.devices ? &emu_contexts[device] : NULL;
}

bool emu_context_is(CUcontext context)
{
    for (size_t i = 0; i < emu_settings.devices; i++) {
        if (context == &emu_contexts[i])
            return context->retained > 0;
    }
    return false;
}

CUresult emu_context_broken(const context_t *context)
{
    return atomic_load_explicit(&context->broken, memory_order_relaxed);
}

/* --- primary contexts ----------------------------------------------------------------------------------------- */

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags_p, int *active_p)
{
    ENTER(cuDevicePrimaryCtxGetState, NEEDS_INIT);
    context_t *context = emu_device(device);
    if (!context)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!flags_p || !active_p)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    *flags_p = context->flags;
    *active_p = context->retained > 0;
    emu_unlock();
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
    ENTER(cuDevicePrimaryCtxSetFlags, NEEDS_INIT);
    context_t *context = emu_device(device);
    if (!context)
        return CUDA_ERROR_INVALID_DEVICE;
    if (flags & ~31u)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    context->flags = flags;
    emu_unlock();
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context_p, CUdevice device)
{
    ENTER(cuDevicePrimaryCtxRetain, NEEDS_INIT);
    context_t *context = emu_device(device);
    if (!context)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!context_p)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    if (context->retained++ == 0) {
        context->legacy = emu_stream_new(context, CU_STREAM_DEFAULT);
        context->legacy->legacy = true;
    }
    *context_p = context;
    emu_unlock();
    return CUDA_SUCCESS;
}

/* The last release ends what is in the context, after it is idle. */
static void end_context(context_t *context)
{
    emu_lock();
    emu_streams_delete(context);
    emu_events_delete(context);
    emu_modules_delete(context);
    emu_memory_delete_all(context);
    context->retained = 0;
    context->flags = 0;
    context->broken = CUDA_SUCCESS;
    context->peers = 0;
    emu_unlock();
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    ENTER(cuDevicePrimaryCtxRelease, NEEDS_INIT);
    context_t *context = emu_device(device);
    if (!context)
        return CUDA_ERROR_INVALID_DEVICE;
    emu_lock();
    unsigned int retained = context->retained;
    if (retained > 1)
        context->retained--;
    emu_unlock();
    if (retained == 1) {
        emu_wait_for_context(context);
        end_context(context);
    }
    if (retained == 0)
        emu_misuse("cuDevicePrimaryCtxRelease of device %d, whose context is not retained", device);
    return retained ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* --- the current context -------------------------------------------------------------------------------------- */

CUresult cuCtxSetCurrent(CUcontext context)
{
    ENTER(cuCtxSetCurrent, NEEDS_INIT);
    if (context && !emu_context_is(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    emu_thread()->current = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context_p)
{
    ENTER(cuCtxGetCurrent, NEEDS_INIT);
    if (!context_p)
        return CUDA_ERROR_INVALID_VALUE;
    *context_p = emu_thread()->current;
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    ENTER(cuCtxPushCurrent, NEEDS_INIT);
    if (!emu_context_is(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    thread_t *thread = emu_thread();
    thread_stack_t *under = emu_alloc(sizeof *under);
    *under = (thread_stack_t){.context = thread->current, .under = thread->pushed};
    thread->pushed = under;
    thread->current = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context_p)
{
    ENTER(cuCtxPopCurrent, NEEDS_INIT);
    thread_t *thread = emu_thread();
    if (!thread->current)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context_p)
        *context_p = thread->current;
    thread_stack_t *under = thread->pushed;
    thread->current = under ? under->context : NULL;
    thread->pushed = under ? under->under : NULL;
    free(under);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device_p)
{
    ENTER(cuCtxGetDevice, NEEDS_CONTEXT);
    if (!device_p)
        return CUDA_ERROR_INVALID_VALUE;
    *device_p = emu_current()->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value_p, CUlimit limit)
{
    ENTER(cuCtxGetLimit, NEEDS_CONTEXT);
    if (!value_p || limit >= N_LIMITS)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    *value_p = emu_current()->limits[limit];
    emu_unlock();
    return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    ENTER(cuCtxSetLimit, NEEDS_CONTEXT);
    if (limit >= N_LIMITS)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    emu_current()->limits[limit] = value;
    emu_unlock();
    return CUDA_SUCCESS;
}

/* --- peers ---------------------------------------------------------------------------------------------------- */

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    ENTER(cuCtxEnablePeerAccess, NEEDS_CONTEXT);
    context_t *context = emu_current();
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_context_is(peer) || peer == context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!emu_settings.peers)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    emu_lock();
    uint32_t bit = 1u << peer->device;
    bool already = context->peers & bit;
    context->peers |= bit;
    emu_unlock();
    return already ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    ENTER(cuCtxDisablePeerAccess, NEEDS_CONTEXT);
    context_t *context = emu_current();
    if (!emu_context_is(peer))
        return CUDA_ERROR_INVALID_CONTEXT;
    emu_lock();
    uint32_t bit = 1u << peer->device;
    bool enabled = context->peers & bit;
    context->peers &= ~bit;
    emu_unlock();
    return enabled ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
