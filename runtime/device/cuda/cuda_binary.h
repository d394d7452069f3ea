/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a device image is, judged by its bytes alone: a cubin and for which architecture, PTX, something else. */
#ifndef NW_CUDA_BINARY_H
#define NW_CUDA_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum nw_cuda_binary_kind {
    NW_CUDA_CUBIN,
    NW_CUDA_PTX,
    NW_CUDA_HOST_IMAGE, /* an x86-64 shared object, which an emulated driver takes */
    NW_CUDA_FOREIGN,
} nw_cuda_binary_kind_t;

typedef struct nw_cuda_binary {
    nw_cuda_binary_kind_t kind;
    unsigned architecture;    /* as in sm_90: 10 * major + minor */
    unsigned abi;             /* of a cubin: ELF ABI version, 7 or 8 */
    bool specific;            /* of a cubin: runs on no later architecture (sm_90a) */
    const char *what;         /* of something foreign: what it is */
} nw_cuda_binary_t;

/* Looks at an image without its OffloadBinary wrapper. */
nw_cuda_binary_t nw_cuda_binary_examine(const void *start, size_t size);

/*
 * How well an image suits a device of compute capability major.minor: 0 not at all, more is better; a cubin of the very
 * architecture comes first, then those of older minors, then PTX.
 */
int nw_cuda_binary_rank(const nw_cuda_binary_t *binary, int major, int minor, bool takes_host_images);

/* Writes what the image is, as "cubin for sm_80". */
void nw_cuda_binary_describe(const nw_cuda_binary_t *binary, char *buffer, size_t size);

#endif
