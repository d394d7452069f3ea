/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's library, loaded when the devices are first counted, and what its answers mean. */
#ifndef NW_CUDA_LIBRARY_H
#define NW_CUDA_LIBRARY_H

#include <stdbool.h>

#include "device/cuda/cuda_driver.h"
#include "support/status.h"

/* Entry points by their names; optional ones may be NULL. */
typedef struct nw_cuda_api {
#define NW_CU_NEEDED(name, symbol, parameters) CUresult(*name) parameters;
#define NW_CU_OPTIONAL(name, symbol, parameters) CUresult(*name) parameters;
#include "device/cuda/cuda_driver.def"
    bool takes_host_images; /* an emulated driver that runs images built for this machine's processor */
} nw_cuda_api_t;

/* Constant once nw_cuda_library_load has returned true. */
extern nw_cuda_api_t nw_cuda;

/* Loads the library and initialises the driver; false, with one line of information, if there is none that works.
 * Called once. Blocks. */
bool nw_cuda_library_load(void);

/* What an answer of the driver's means for a region. CUDA_ERROR_NOT_READY is NW_IN_PROGRESS. */
nw_status_t nw_cuda_status(CUresult result);

/* The driver's words for an answer; they live for ever. */
const char *nw_cuda_words(CUresult result);

/* Notes why a call that concerns no region has failed, for who reports it (support/reason.h); returns its status. */
nw_status_t nw_cuda_failed(CUresult result, const char *call, const char *what) __attribute__((cold));

#endif
