/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source location argument of every libomp and libomptarget entry point (ident_t; clang 19 and 22 emit the same). */
#ifndef NW_IDENT_H
#define NW_IDENT_H

#include <stddef.h>
#include <stdint.h>

struct nowait_ident {
    int32_t reserved_1;
    int32_t flags;
    int32_t reserved_2;
    int32_t reserved_3;
    const char *psource; /* ";file;function;line;column;;", may be NULL */
};

_Static_assert(sizeof(struct nowait_ident) == 24, "ident_t as clang emits it");
_Static_assert(offsetof(struct nowait_ident, flags) == 4, "ident_t as clang emits it");
_Static_assert(offsetof(struct nowait_ident, psource) == 16, "ident_t as clang emits it");

typedef struct nowait_ident nw_ident_t;

static inline const char *nw_ident_source(const nw_ident_t *loc)
{
    return loc ? loc->psource : NULL;
}

#endif
