/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Entry of the rewriting: one host module in, the same module with its deferred target constructs going to libnowait.
 */
#ifndef NOWAIT_PLUGIN_REWRITE_H
#define NOWAIT_PLUGIN_REWRITE_H

#include <stdbool.h>

#include "llvm-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How to rewrite; zero-initialised is the default. */
struct nw_rewrite_options {
    bool verify; /* run LLVM's verifier over a module that was changed; a broken module ends the compiler */
};

/*
 * Rewrites every deferred target construct of module that it understands, and reports each of them. A module that this
 * function has already seen, and a device module, are not touched.
 *
 * Returns whether the module was changed.
 */
bool nw_rewrite_module(LLVMModuleRef module, const struct nw_rewrite_options *options);

#ifdef __cplusplus
}
#endif

#endif
