/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The project's CUDA driver header against the real cuda.h of a toolkit: built only where one is found, and most of it
 * is checked by building. Values and prototypes are seen with the real header's types; structures of ours get other
 * names, so that both can be in one file. The program compares the symbols' versions.
 */
#include <cuda.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- values ------------------------------------------------------------------------------------------------------- */

#define NW_CU_RESULT(name, value, text) _Static_assert((long long)(name) == (value), #name);
#define NW_CU_VALUE(name, value) _Static_assert((long long)(name) == (value), #name);
#include "device/cuda/cuda_values.def"

/* --- prototypes: a pointer to the real function has the type that we call it by ----------------------------------- */

#define SAME_TYPE(name, symbol, parameters)                                                                            \
    _Static_assert(_Generic(&name, CUresult(*) parameters : 1, default : 0), "prototype of " #symbol);
#define NW_CU_NEEDED SAME_TYPE
#define NW_CU_OPTIONAL SAME_TYPE
#include "device/cuda/cuda_driver.def"

/* --- structures: same sizes and offsets --------------------------------------------------------------------------- */

#define CUuuid_st ours_CUuuid_st
#define CUuuid ours_CUuuid
#define CUDA_MEMCPY2D_st ours_CUDA_MEMCPY2D_st
#undef CUDA_MEMCPY2D
#define CUDA_MEMCPY2D ours_CUDA_MEMCPY2D
#define CUDA_MEMCPY3D_st ours_CUDA_MEMCPY3D_st
#undef CUDA_MEMCPY3D
#define CUDA_MEMCPY3D ours_CUDA_MEMCPY3D
#define CUmemLocation_st ours_CUmemLocation_st
#define CUmemLocation ours_CUmemLocation
#define CUmemPoolProps_st ours_CUmemPoolProps_st
#define CUmemPoolProps ours_CUmemPoolProps
#include "device/cuda/cuda_types.h"
#undef CUuuid
#undef CUDA_MEMCPY2D
#undef CUDA_MEMCPY3D
#undef CUmemLocation
#undef CUmemPoolProps

#define SAME_SIZE(real, ours) _Static_assert(sizeof(real) == sizeof(ours), "size of " #real)
#define SAME_FIELD(real, ours, field)                                                                                  \
    _Static_assert(offsetof(real, field) == offsetof(ours, field) &&                                                   \
                       sizeof(((real *)0)->field) == sizeof(((ours *)0)->field),                                       \
                   #real "." #field)

SAME_SIZE(CUuuid, ours_CUuuid);
SAME_SIZE(CUdeviceptr, unsigned long long);
SAME_SIZE(CUresult, unsigned int);
SAME_SIZE(CUmemorytype, unsigned int);

SAME_SIZE(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, srcXInBytes);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, srcMemoryType);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, srcHost);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, srcDevice);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, srcPitch);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, dstMemoryType);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, dstHost);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, dstDevice);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, dstPitch);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, WidthInBytes);
SAME_FIELD(CUDA_MEMCPY2D_v2, ours_CUDA_MEMCPY2D, Height);

SAME_SIZE(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, srcLOD);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, srcMemoryType);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, srcHost);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, srcDevice);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, srcPitch);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, srcHeight);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, dstMemoryType);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, dstHost);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, dstDevice);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, dstPitch);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, dstHeight);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, WidthInBytes);
SAME_FIELD(CUDA_MEMCPY3D_v2, ours_CUDA_MEMCPY3D, Depth);

SAME_SIZE(CUmemPoolProps, ours_CUmemPoolProps);
SAME_FIELD(CUmemPoolProps, ours_CUmemPoolProps, allocType);
SAME_FIELD(CUmemPoolProps, ours_CUmemPoolProps, handleTypes);
SAME_FIELD(CUmemPoolProps, ours_CUmemPoolProps, maxSize);
SAME_FIELD(CUmemPoolProps, ours_CUmemPoolProps, usage);

/* --- symbols: what a program that includes the real header links with --------------------------------------------- */

#define STRING(text) #text
#define SYMBOL(name) STRING(name)

typedef struct pair {
    const char *real; /* after the real header's own renaming */
    const char *ours;
} pair_t;

static const pair_t pairs[] = {
#define NW_CU_NEEDED(name, symbol, parameters) {SYMBOL(name), #symbol},
#define NW_CU_OPTIONAL NW_CU_NEEDED
#include "device/cuda/cuda_driver.def"
};

/* Of CUDA 12.8; the name without a version is the same function, and all drivers have it. */
static bool may_differ(const pair_t *pair)
{
    return !strcmp(pair->real, "cuEventElapsedTime_v2") && !strcmp(pair->ours, "cuEventElapsedTime");
}

int main(void)
{
    int faults = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (strcmp(pairs[i].real, pairs[i].ours) != 0 && !may_differ(&pairs[i])) {
            printf("the real header links %s, ours %s\n", pairs[i].real, pairs[i].ours);
            faults++;
        }
    }
    return faults != 0;
}
