/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Constructors and destructors of an image's global variables. NVIDIA's linker makes no array of them, so the host
 * does: it finds the function pointers by their names, __init_array_object_..._<priority>, and launches a kernel that
 * calls them in order.
 */
#ifndef NW_CUDA_CONSTRUCTORS_H
#define NW_CUDA_CONSTRUCTORS_H

#include "device/cuda/cuda_state.h"

typedef struct nw_cuda_constructor {
    char *name; /* of the variable that holds the function's address */
    unsigned priority;
    size_t place; /* in the symbol table, which has those of equal priority in the order of their definitions */
} nw_cuda_constructor_t;

typedef struct nw_cuda_constructors {
    const char *kernel, *begin, *end; /* names: who calls them, and the two variables that say which */
    nw_cuda_constructor_t *list;      /* in the order of construction; the kernel of destructors goes backwards */
    size_t n;
    bool backwards;
} nw_cuda_constructors_t;

/* Finds both kinds in a cubin's symbol table, or in PTX if `is_text`, which ends with a zero then.
 * NW_ERR_BAD_IMAGE if the table is damaged. */
nw_status_t nw_cuda_constructors_find(const void *start, size_t size, bool is_text,
                                      nw_cuda_constructors_t *constructors_p, nw_cuda_constructors_t *destructors_p);

/* Runs them, one thread on the device, and waits for it. The context is current. Blocks. */
nw_status_t nw_cuda_constructors_run(nw_device_t *device, nw_image_t *image,
                                     const nw_cuda_constructors_t *constructors);

void nw_cuda_constructors_forget(nw_cuda_constructors_t *constructors);

#endif
