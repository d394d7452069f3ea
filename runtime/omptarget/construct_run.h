/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constructs without nowait. */
#ifndef NW_CONSTRUCT_RUN_H
#define NW_CONSTRUCT_RUN_H

#include "core/construct.h"

/* Decides a construct and runs it: on the calling thread, unless nw_region_must_leave_team. Blocks until it is over. */
void nw_construct_run(nw_core_device_t *device, const nw_ident_t *loc, nw_construct_kind_t kind,
                      const nw_map_args_t *args, const nw_region_launch_t *launch);

/* Print what LIBOMPTARGET_INFO says at a construct's begin, with each of its map entries, and behind it. */
void nw_construct_tell_entries(int device, const nw_ident_t *loc, const char *what, const nw_map_args_t *args)
    __attribute__((cold));
void nw_construct_tell_tables(const nw_ident_t *loc) __attribute__((cold));

#endif
