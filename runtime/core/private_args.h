/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Private copies of one region: firstprivate variables that travel by address, private ones, and pointers that begin
 * with the device address of what they point at. Small ones of a region lie in one piece of device memory, which one
 * transfer fills. Their bytes are read now, so the variables may change or die at once.
 */
#ifndef NW_PRIVATE_ARGS_H
#define NW_PRIVATE_ARGS_H

#include "core/decision.h"

/* Makes the private copies of a region whose other entries have been mapped, and puts their addresses in the kernel's
 * arguments, where each has a place. Memory is the operation's own. */
void nw_private_args_make(nw_decision_t *d);

#endif
