/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* User-defined mappers (declare mapper): functions in the program that replace a map entry by a list of others. */
#ifndef NW_MAPPER_H
#define NW_MAPPER_H

#include "core/construct.h"

/* Map entries after mappers have been called; owns its arrays if `owned`. */
typedef struct nw_flat_args {
    nw_map_args_t args;
    bool owned;
} nw_flat_args_t;

/* Fills *flat_p with the entries, mappers replaced. Calls program code; no lock may be held. */
nw_status_t nw_mapper_flatten(const nw_map_args_t *args, nw_flat_args_t *flat_p) NW_MUST_CHECK;

void nw_mapper_release(nw_flat_args_t *flat);

#endif
