/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Structures of the CUDA driver interface, laid out as the CUDA Driver API reference says. Handles and constants are in
 * cuda_driver.h.
 */
#ifndef NW_CUDA_TYPES_H
#define NW_CUDA_TYPES_H

typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;

/* A rectangle between two memories. Pitches, widths and x in bytes. */
typedef struct CUDA_MEMCPY2D_st {
    size_t srcXInBytes;
    size_t srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;

    size_t dstXInBytes;
    size_t dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;

    size_t WidthInBytes;
    size_t Height;
} CUDA_MEMCPY2D;

/* A box between two memories. Pitches, widths and x in bytes; heights in rows. */
typedef struct CUDA_MEMCPY3D_st {
    size_t srcXInBytes;
    size_t srcY;
    size_t srcZ;
    size_t srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch;
    size_t srcHeight;

    size_t dstXInBytes;
    size_t dstY;
    size_t dstZ;
    size_t dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch;
    size_t dstHeight;

    size_t WidthInBytes;
    size_t Height;
    size_t Depth;
} CUDA_MEMCPY3D;

typedef struct CUmemLocation_st {
    CUmemLocationType type;
    int id; /* device ordinal */
} CUmemLocation;

typedef struct CUmemPoolProps_st {
    CUmemAllocationType allocType;
    CUmemAllocationHandleType handleTypes;
    CUmemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize; /* bytes; 0: the system's limit */
    unsigned short usage;
    unsigned char reserved[54];
} CUmemPoolProps;

#endif
