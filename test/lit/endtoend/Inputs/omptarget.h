/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What clang 19 hands to libomptarget, for tests that do by hand what compiled code does: images and their entries, and
 * the arguments of a region. */
#ifndef NOWAIT_TEST_OMPTARGET_H
#define NOWAIT_TEST_OMPTARGET_H

#include <stddef.h>
#include <stdint.h>

struct entry {
    void *address;
    const char *name;
    size_t size;
    int32_t flags, data;
};

struct image {
    void *start, *end;
    struct entry *entries_begin, *entries_end;
};

struct description {
    int32_t n_images;
    struct image *images;
    struct entry *entries_begin, *entries_end;
};

struct kernel_args {
    uint32_t version, n;
    void **bases, **ptrs;
    int64_t *sizes, *types;
    void **names, **mappers;
    uint64_t trip_count, flags;
    uint32_t teams[3], threads[3], shared;
};

extern void __tgt_register_lib(struct description *);
extern void __tgt_unregister_lib(struct description *);
extern int __tgt_target_kernel(void *loc, int64_t device, int32_t teams, int32_t threads, void *id,
                               struct kernel_args *args);

#endif
