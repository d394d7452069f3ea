/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Map types as clang emits them (llvm/Frontend/OpenMP/OMPConstants.h, OpenMPOffloadMappingFlags). */
#ifndef NW_MAP_TYPES_H
#define NW_MAP_TYPES_H

#include <stdint.h>

enum {
    NW_MAP_TO = 0x1,
    NW_MAP_FROM = 0x2,
    NW_MAP_ALWAYS = 0x4,
    NW_MAP_DELETE = 0x8,
    NW_MAP_PTR_AND_OBJ = 0x10,   /* the base is the address of a pointer to the data */
    NW_MAP_TARGET_PARAM = 0x20,  /* makes one kernel argument */
    NW_MAP_RETURN_PARAM = 0x40,  /* use_device_ptr, use_device_addr: the device address goes back into the base */
    NW_MAP_PRIVATE = 0x80,       /* private, or firstprivate together with TO */
    NW_MAP_LITERAL = 0x100,      /* the value itself stands in the place of the base */
    NW_MAP_IMPLICIT = 0x200,
    NW_MAP_CLOSE = 0x400,
    NW_MAP_PRESENT = 0x1000,
    NW_MAP_HOLD = 0x2000,
    NW_MAP_ATTACH = 0x4000,      /* LLVM >= 22: point the pointer at base to the data, if either is new */
};

#define NW_MAP_NON_CONTIGUOUS UINT64_C(0x100000000000)
#define NW_MAP_MEMBER_OF UINT64_C(0xFFFF000000000000)

/* Bits that carry a meaning here, or that LLVM documents as reserved. Others get one warning and are ignored. */
#define NW_MAP_KNOWN (UINT64_C(0x7FFF) | NW_MAP_NON_CONTIGUOUS | NW_MAP_MEMBER_OF)

#endif
