/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types of the functions in stock_driver.def, as the CUDA Driver API reference gives them. */
#ifndef CUDAEMU_STOCK_TYPES_H
#define CUDAEMU_STOCK_TYPES_H

#include "device/cuda/cuda_driver.h"

typedef unsigned long long CUmemGenericAllocationHandle;
typedef unsigned int CUmemAllocationGranularity_flags;
typedef struct CUmemAllocationProp_st CUmemAllocationProp; /* only pointers to it are passed here */
typedef struct CUmemAccessDesc_st CUmemAccessDesc;

typedef struct CUlaunchAttribute_st CUlaunchAttribute; /* none is supported */

typedef struct CUlaunchConfig_st {
    unsigned int gridDimX, gridDimY, gridDimZ;
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    CUstream hStream;
    CUlaunchAttribute *attrs;
    unsigned int numAttrs;
} CUlaunchConfig;

#endif
