/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of calls. */
#ifndef EMU_CALLS_H
#define EMU_CALLS_H

#include "cudaemu/emu.h"

const char *emu_call_name(call_t call);
/* Since the start, by all threads. */
uint64_t emu_calls_total(call_t call);
uint64_t emu_blocked_total(call_t call);
uint64_t emu_misuses_total(void);

#endif
