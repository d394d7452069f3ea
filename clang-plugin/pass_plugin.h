// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass registration that the clang plugin and the pass plugin share.
#ifndef NOWAIT_PLUGIN_PASS_PLUGIN_H
#define NOWAIT_PLUGIN_PASS_PLUGIN_H

#include "rewrite.h"

#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h" // LLVM 22
#else
#include "llvm/Passes/PassPlugin.h"
#endif

namespace nowait {

// What plugin arguments change. A build with assertions verifies every module that it rewrites.
inline nw_rewrite_options defaultOptions()
{
    nw_rewrite_options Options = {};
#ifndef NDEBUG
    Options.verify = true;
#endif
    return Options;
}

// Adds the rewriting to every pipeline that Builder builds.
void registerPass(llvm::PassBuilder &Builder, nw_rewrite_options Options);

} // namespace nowait

#endif
