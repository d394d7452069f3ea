/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The check that plugin and runtime fit together, made when the program starts instead of at its first region.
 */
#ifndef NOWAIT_PLUGIN_ABI_CHECK_H
#define NOWAIT_PLUGIN_ABI_CHECK_H

#include "llvm-c/Types.h"

/* Gives module a constructor that calls __nowait_require_abi. A program has one, however many such modules it has. */
void nw_abi_check_add(LLVMModuleRef module);

#endif
