/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names and texts of the driver's answers. */
#ifndef EMU_ERROR_H
#define EMU_ERROR_H

#include "device/cuda/cuda_driver.h"

/* By name ("CUDA_ERROR_OUT_OF_MEMORY") or number; ends the program if it is neither. */
CUresult emu_result_of_text(const char *text);

#endif
