/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The argument block of __tgt_target_kernel (llvm's KernelArgsTy, versions 1 to 3; 104 bytes). */
#ifndef NW_KERNEL_ARGS_H
#define NW_KERNEL_ARGS_H

#include <stddef.h>
#include <stdint.h>

struct nowait_kernel_args {
    uint32_t version;
    uint32_t n_args;
    void **bases;
    void **ptrs;
    int64_t *sizes;
    uint64_t *types;
    void **names;
    void **mappers;
    uint64_t trip_count;
    uint64_t flags;           /* bit 0: the construct has nowait */
    uint32_t num_teams[3];    /* versions 1 and 2: not valid from here on */
    uint32_t thread_limit[3];
    uint32_t dynamic_shared;
};

#define NW_KERNEL_NOWAIT 1u

/* The first version whose kernels take an implicit first argument. */
#define NW_KERNEL_ARGS_IMPLICIT 3u
/* The newest version that is known. Version 4 (LLVM 23) moves the implicit argument to the end. */
#define NW_KERNEL_ARGS_NEWEST 3u

_Static_assert(sizeof(struct nowait_kernel_args) == 104, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, version) == 0, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, n_args) == 4, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, bases) == 8, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, ptrs) == 16, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, sizes) == 24, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, types) == 32, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, names) == 40, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, mappers) == 48, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, trip_count) == 56, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, flags) == 64, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, num_teams) == 72, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, thread_limit) == 84, "KernelArgsTy");
_Static_assert(offsetof(struct nowait_kernel_args, dynamic_shared) == 96, "KernelArgsTy");

#endif
