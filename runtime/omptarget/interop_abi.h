/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What LLVM 22's interface for interop objects passes (offload/include/OpenMP/InteropAPI.h). */
#ifndef NW_INTEROP_ABI_H
#define NW_INTEROP_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "core/interop_object.h"
#include "nowait/abi.h"

/* Types of an object: what clang 19 and 22 pass to __tgt_interop_init, and what __tgt_interop_get takes. */
enum { NW_INTEROP_INIT_TARGET = 1, NW_INTEROP_INIT_TARGETSYNC = 2, NW_INTEROP_TARGET = 0, NW_INTEROP_TARGETSYNC = 1 };

/* One preference of an init clause (interop_spec_t). */
typedef struct nw_interop_spec {
    int32_t runtime;
    uint32_t attributes;
    int64_t own_attributes;
} nw_interop_spec_t;

/* How a construct was written (interop_ctx_t). */
typedef struct nw_interop_context {
    uint32_t version; /* 0 */
    uint32_t flags;   /* NW_INTEROP_* below */
    int32_t gtid;
} nw_interop_context_t;

enum { NW_INTEROP_IMPLICIT = 1, NW_INTEROP_NOWAIT = 2 };

/* Its dependences (dep_pack_t). */
typedef struct nw_interop_dependences {
    int32_t n;
    int32_t n_noalias;
    struct nowait_depend_info *list;
    struct nowait_depend_info *noalias;
} nw_interop_dependences_t;

_Static_assert(sizeof(nw_interop_spec_t) == 16, "interop_spec_t");
_Static_assert(offsetof(nw_interop_spec_t, own_attributes) == 8, "interop_spec_t");
_Static_assert(sizeof(nw_interop_context_t) == 12, "interop_ctx_t");
_Static_assert(offsetof(nw_interop_context_t, gtid) == 8, "interop_ctx_t");
_Static_assert(sizeof(nw_interop_dependences_t) == 24, "dep_pack_t");
_Static_assert(offsetof(nw_interop_dependences_t, list) == 8, "dep_pack_t");

#endif
