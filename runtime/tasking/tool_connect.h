/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The connection to the tool (OMPT). libomp finds and starts the tool, when it is initialised itself; the library that
 * serves devices asks libomp for the tool's callbacks (`ompt_libomp_connect`, libomp 17 to 22), and a library behind
 * that one may ask it in turn (`ompt_libomptarget_connect`). When the tool ends, libomp tells the first, and that one
 * the others.
 */
#ifndef NW_TOOL_CONNECT_H
#define NW_TOOL_CONNECT_H

#include "core/ompt.h"

/* Initialises libomp if it isn't yet, and attaches the tool, if there is one. Threads: one, once. */
void nw_tool_connect(void);

/* Hands the tool's callbacks on; does nothing if there is no tool. Threads: any. */
void nw_tool_connect_other(nw_ompt_start_t *start);

#endif
