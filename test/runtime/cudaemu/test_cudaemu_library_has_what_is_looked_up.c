/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulated driver as a library: the names under which programs look its functions up. */
#include <dlfcn.h>

#include "cudaemu/emu_test.h"

/* What the CUDA plugins of stock libomptarget 19 and 22 look up, and the project's own backend. */
static const char *const names[] = {
    /* both */
    "cuInit",
    "cuCtxGetDevice",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuFuncGetAttribute",
    "cuDeviceGetName",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuGetErrorString",
    "cuLaunchKernel",
    "cuMemAlloc_v2",
    "cuMemAllocHost_v2",
    "cuMemAllocManaged",
    "cuMemAllocAsync",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemFree_v2",
    "cuMemFreeHost",
    "cuMemFreeAsync",
    "cuModuleGetFunction",
    "cuModuleGetGlobal_v2",
    "cuModuleUnload",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamQuery",
    "cuCtxSetCurrent",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxGetState",
    "cuDevicePrimaryCtxSetFlags_v2",
    "cuDevicePrimaryCtxRetain",
    "cuModuleLoadDataEx",
    "cuDeviceCanAccessPeer",
    "cuCtxEnablePeerAccess",
    "cuMemcpyPeerAsync",
    "cuCtxGetLimit",
    "cuCtxSetLimit",
    "cuEventCreate",
    "cuEventRecord",
    "cuStreamWaitEvent",
    "cuEventSynchronize",
    "cuEventDestroy",
    "cuMemUnmap",
    "cuMemRelease",
    "cuMemAddressFree",
    "cuMemGetInfo_v2",
    "cuMemAddressReserve",
    "cuMemMap",
    "cuMemCreate",
    "cuMemSetAccess",
    "cuMemGetAllocationGranularity",
    /* 22 */
    "cuFuncSetAttribute",
    "cuDeviceGetUuid",
    "cuLaunchKernelEx",
    "cuLaunchHostFunc",
    "cuMemsetD8Async",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuMemsetD2D8Async",
    "cuMemsetD2D16Async",
    "cuMemsetD2D32Async",
    "cuStreamAddCallback",
    "cuOccupancyMaxPotentialBlockSize",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuFuncGetParamInfo",
    "cuEventQuery",
    /* the project's own */
    "cudaemu_accepts_x86_64",
    "cudaemu_calls",
    "cudaemu_fail",
#define SYMBOL(name, symbol, parameters) #symbol,
#define NW_CU_NEEDED SYMBOL
#define NW_CU_OPTIONAL SYMBOL
#include "device/cuda/cuda_driver.def"
};

static void names_are_found(void **state)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    (void)state;
    assert_non_null(library);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!dlsym(library, names[i]))
            fail_msg("%s is not there", names[i]);
    }
    /* Nothing of its inside is to be seen. */
    assert_null(dlsym(library, "emu_lock"));
    dlclose(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_found)};
    watchdog(WATCHDOG_SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
