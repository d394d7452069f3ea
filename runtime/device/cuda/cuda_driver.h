/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The CUDA driver interface as far as it is used here: names, values and layouts from the CUDA Driver API reference, so
 * that no CUDA toolkit is needed. Where one is installed, test/runtime/cuda_header_matches.c compares. Functions are
 * listed in cuda_driver.def, constants in cuda_values.def, structures in cuda_types.h.
 *
 * Enumeration types are plain unsigned integers here, of the same size.
 */
#ifndef NW_CUDA_DRIVER_H
#define NW_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef enum cudaError_enum {
#define NW_CU_RESULT(name, value, text) name = (value),
#include "device/cuda/cuda_values.def"
} CUresult;

enum {
#define NW_CU_VALUE(name, value) name = (value),
#include "device/cuda/cuda_values.def"
};

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;

typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUmemPoolHandle_st *CUmemoryPool;

typedef unsigned int CUdevice_attribute;
typedef unsigned int CUfunction_attribute;
typedef unsigned int CUpointer_attribute;
typedef unsigned int CUlimit;
typedef unsigned int CUjit_option;
typedef unsigned int CUmemorytype;
typedef unsigned int CUmemLocationType;
typedef unsigned int CUmemAllocationType;
typedef unsigned int CUmemAllocationHandleType;
typedef unsigned int CUmemPool_attribute;

/* Called by a thread of the driver's; must call no driver function. */
typedef void (*CUhostFn)(void *data);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *data);
typedef size_t (*CUoccupancyB2DSize)(int block_size);

/* Streams that need not be created: the legacy default stream (also NULL) and the thread's own. */
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

/* Marks in cuLaunchKernel's `extra`: an argument buffer, its size (a size_t's address), the end. */
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)

#include "device/cuda/cuda_types.h"

#endif
