/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_library.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

#include "support/log.h"
#include "support/reason.h"
#include "support/settings.h"

nw_cuda_api_t nw_cuda;

/* A function of the library whose presence says that it is an emulation, which runs images for this processor. */
#define EMULATION_MARK "cudaemu_accepts_x86_64"

typedef struct entry {
    const char *symbol;
    size_t offset;
    bool needed;
} entry_t;

static const entry_t entries[] = {
#define NW_CU_NEEDED(name, symbol, parameters) {#symbol, offsetof(nw_cuda_api_t, name), true},
#define NW_CU_OPTIONAL(name, symbol, parameters) {#symbol, offsetof(nw_cuda_api_t, name), false},
#include "device/cuda/cuda_driver.def"
};

static bool find_functions(void *library)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *address = dlsym(library, entries[i].symbol);
        if (!address && entries[i].needed) {
            nw_log(NW_LOG_INFO, "no CUDA devices: %s has no %s; a newer driver is needed", nw_settings.cuda_library,
                   entries[i].symbol);
            return false;
        }
        memcpy((char *)&nw_cuda + entries[i].offset, &address, sizeof address);
    }
    nw_cuda.takes_host_images = dlsym(library, EMULATION_MARK) != NULL;
    return true;
}

/* Whether the settings name a path at which no library can be. The loader would open it all the same, and wait at a
 * pipe. */
static bool is_no_file(void)
{
    struct stat found;
    return strchr(nw_settings.cuda_library, '/') && stat(nw_settings.cuda_library, &found) == 0 &&
           !S_ISREG(found.st_mode);
}

bool nw_cuda_library_load(void)
{
    if (is_no_file()) {
        nw_log(NW_LOG_INFO, "no CUDA devices: %s is not a regular file", nw_settings.cuda_library);
        return false;
    }
    /* By its versioned name: the bare one may be a toolkit's stub. It stays loaded, as its threads do. */
    void *library = dlopen(nw_settings.cuda_library, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        nw_log(NW_LOG_INFO, "no CUDA devices: %s", dlerror());
        return false;
    }
    if (!find_functions(library))
        return false;
    CUresult result = nw_cuda.cuInit(0);
    if (result != CUDA_SUCCESS) {
        nw_log(NW_LOG_INFO, "no CUDA devices: %s (cuInit)", nw_cuda_words(result));
        return false;
    }
    return true;
}

nw_status_t nw_cuda_status(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return NW_OK;
    case CUDA_ERROR_NOT_READY:
        return NW_IN_PROGRESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
        return NW_ERR_DEVICE_MEMORY;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
        return NW_ERR_DEVICE_ADDRESS;
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_UNKNOWN:
        return NW_ERR_DEVICE_LOST;
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_INVALID_SOURCE:
        return NW_ERR_BAD_IMAGE;
    case CUDA_ERROR_NOT_FOUND:
        return NW_ERR_NO_KERNEL;
    case CUDA_ERROR_NOT_SUPPORTED:
        return NW_ERR_UNSUPPORTED;
    default:
        return NW_ERR_DEVICE;
    }
}

const char *nw_cuda_words(CUresult result)
{
    const char *text;
    return nw_cuda.cuGetErrorString && nw_cuda.cuGetErrorString(result, &text) == CUDA_SUCCESS && text
               ? text
               : "an answer that the driver has no words for";
}

nw_status_t nw_cuda_failed(CUresult result, const char *call, const char *what)
{
    nw_reason_set("%s: %s (%s)", what, nw_cuda_words(result), call);
    return nw_cuda_status(result);
}
