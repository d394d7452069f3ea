/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the rewriting asks of the compiler that runs it: optimisation remarks. The LLVM-C API cannot emit them, so the
 * registration side, in C++, implements these.
 */
#ifndef NOWAIT_PLUGIN_HOST_REPORT_H
#define NOWAIT_PLUGIN_HOST_REPORT_H

#include <stdbool.h>

#include "llvm-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reports, under -Rpass=nowait, a rewritten construct at the source location of instruction. */
void nw_report_rewritten(LLVMValueRef instruction, const char *text);

/* Reports, under -Rpass-missed=nowait, a construct that was left as it is. */
void nw_report_missed(LLVMValueRef instruction, const char *text);

/* Whether anybody asked for missed remarks. */
bool nw_report_wants_missed(LLVMContextRef context);

#ifdef __cplusplus
}
#endif

#endif
