/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver itself and its devices. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cudaemu/context.h"
#include "cudaemu/emu.h"

static void in_child(void)
{
    atomic_store(&emu_forked, true);
}

static void begin(void)
{
    emu_settings_read();
    emu_contexts_begin();
    pthread_atfork(NULL, NULL, in_child);
}

CUresult cuInit(unsigned int flags)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    /* The settings may say that this very call fails. */
    pthread_once(&once, begin);
    ENTER(cuInit, NEEDS_NOTHING);
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (atomic_load(&emu_forked))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!emu_settings.devices)
        return CUDA_ERROR_NO_DEVICE;
    atomic_store_explicit(&emu_initialised, true, memory_order_release);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version_p)
{
    ENTER(cuDriverGetVersion, NEEDS_NOTHING);
    if (!version_p)
        return CUDA_ERROR_INVALID_VALUE;
    *version_p = (int)emu_settings.driver_version;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count_p)
{
    ENTER(cuDeviceGetCount, NEEDS_INIT);
    if (!count_p)
        return CUDA_ERROR_INVALID_VALUE;
    *count_p = (int)emu_settings.devices;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device_p, int index)
{
    ENTER(cuDeviceGet, NEEDS_INIT);
    if (!device_p)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_device(index))
        return CUDA_ERROR_INVALID_DEVICE;
    *device_p = index;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    ENTER(cuDeviceGetName, NEEDS_INIT);
    if (!name || size < 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)size, "Emulated GPU %d", device);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid_p, CUdevice device)
{
    ENTER(cuDeviceGetUuid, NEEDS_INIT);
    if (!uuid_p)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *uuid_p = (CUuuid){"emulated gpu"};
    uuid_p->bytes[15] = (char)device;
    return CUDA_SUCCESS;
}

/* Stock libomptarget looks up names without version, too. */
CUDAEMU_EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid_p, CUdevice device) __attribute__((alias("cuDeviceGetUuid_v2")));

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
    ENTER(cuDeviceGetPCIBusId, NEEDS_INIT);
    if (!id || size < 13)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(id, (size_t)size, "0000:%02x:00.0", (unsigned int)device + 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes_p, CUdevice device)
{
    ENTER(cuDeviceTotalMem, NEEDS_INIT);
    if (!bytes_p)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *bytes_p = emu_settings.memory;
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can_p, CUdevice device, CUdevice peer)
{
    ENTER(cuDeviceCanAccessPeer, NEEDS_INIT);
    if (!can_p)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_device(device) || !emu_device(peer))
        return CUDA_ERROR_INVALID_DEVICE;
    *can_p = emu_settings.peers && device != peer;
    return CUDA_SUCCESS;
}

typedef struct attribute {
    CUdevice_attribute which;
    int value;
} attribute_t;

/* A device of compute capability 9.0; those that differ among devices or settings are in cuDeviceGetAttribute. */
static const attribute_t attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 << 10},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 << 10},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
    {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 0},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
    {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2619000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 5120},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 50 << 20},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 << 10},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 << 10},
    {CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, 0},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 0},
    {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 1},
};

CUresult cuDeviceGetAttribute(int *value_p, CUdevice_attribute which, CUdevice device)
{
    ENTER(cuDeviceGetAttribute, NEEDS_INIT);
    if (!value_p)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value_p = emu_settings.capability[device] / 10;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value_p = emu_settings.capability[device] % 10;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
        *value_p = device + 1;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
        *value_p = emu_settings.pools;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
        *value_p = emu_settings.write_value;
        return CUDA_SUCCESS;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].which == which) {
            *value_p = attributes[i].value;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}
