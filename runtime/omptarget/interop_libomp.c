/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interoperability routines under libomp's version node. libomp exports them too, and comes first on clang's link
 * line, so that is the node that stock-built programs record; libomp's own look for the next definition behind it,
 * where a preloaded library is not.
 *
 * Not among the objects that the runtime's tests link: only a shared library with the version script has the node.
 */
#include "omptarget/omptarget.h"
#include "support/export.h"

/* name: the routine; the rest: its type, parameters, and arguments. */
#define UNDER_LIBOMPS_NODE(type, name, parameters, arguments) \
    __asm__(".symver nw_libomp_" #name ", " #name "@VERSION"); \
    NW_EXPORT type nw_libomp_##name parameters; \
    NW_EXPORT type nw_libomp_##name parameters \
    { \
        return name arguments; \
    }

UNDER_LIBOMPS_NODE(int, omp_get_num_interop_properties, (struct nw_interop * interop), (interop))
UNDER_LIBOMPS_NODE(intptr_t, omp_get_interop_int, (struct nw_interop * interop, int property, int *error_p),
                   (interop, property, error_p))
UNDER_LIBOMPS_NODE(void *, omp_get_interop_ptr, (struct nw_interop * interop, int property, int *error_p),
                   (interop, property, error_p))
UNDER_LIBOMPS_NODE(const char *, omp_get_interop_str, (struct nw_interop * interop, int property, int *error_p),
                   (interop, property, error_p))
UNDER_LIBOMPS_NODE(const char *, omp_get_interop_name, (struct nw_interop * interop, int property),
                   (interop, property))
UNDER_LIBOMPS_NODE(const char *, omp_get_interop_type_desc, (struct nw_interop * interop, int property),
                   (interop, property))
UNDER_LIBOMPS_NODE(const char *, omp_get_interop_rc_desc, (struct nw_interop * interop, int code), (interop, code))
