/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that do what really takes time: kernels that are code, large copies, host functions. */
#ifndef EMU_EXECUTOR_H
#define EMU_EXECUTOR_H

#include "cudaemu/timeline.h"

/* Lets a thread do the stream's first command, and call emu_executed. As many run at once as there are, but for host
 * functions: one after another, as the real driver may do. Called with the lock held. */
void emu_execute(stream_t *stream);

#endif
