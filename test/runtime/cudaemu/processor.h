/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processor time of the threads that stand for the device: see cudaemu_device_ns. */
#ifndef EMU_PROCESSOR_H
#define EMU_PROCESSOR_H

/* The calling thread, which never ends, does the device's work from now on, not the host's. Threads: any. */
void emu_processor_is_device(void);

#endif
