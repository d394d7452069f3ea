/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Faults and delays that a test asks for, and modelled times of kernels. */
#ifndef EMU_FAULT_H
#define EMU_FAULT_H

#include "cudaemu/emu.h"

/* One item of CUDAEMU_FAIL: "cuMemAlloc@3" or "kernel:pattern@2", with "+" behind the count for all after it too; and
 * the answer, by name or number. */
void emu_fault_parse(const char *what, const char *result);
void emu_delay_set(const char *name, uint64_t ns);
void emu_kernel_time_add(const char *pattern, uint64_t ns);

/* What the call of a function answers before it does anything, or CUDA_SUCCESS. Waits as long as a delay says. No lock.
 */
CUresult emu_fault_of_call(call_t call);
/* How the launch of a kernel ends. Lock held. */
CUresult emu_fault_of_kernel(const char *name);
/* How long a kernel takes, ns. Lock held. */
uint64_t emu_kernel_time(const char *name);
/* Changes whenever a modelled time does. */
uint64_t emu_kernel_times_version(void);

/* A function's number by its name; ends the program if there is none. */
call_t emu_call_of_name(const char *name);

#endif
