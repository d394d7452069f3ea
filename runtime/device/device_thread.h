/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that serve devices, as against the program's own. */
#ifndef NW_DEVICE_THREAD_H
#define NW_DEVICE_THREAD_H

#include <stdbool.h>

/* The calling thread serves a device from now on. A backend's threads call it first. `name`: of the thread, in a trace;
 * the words must live for ever. */
void nw_device_thread_begin(const char *name);

/* The calling thread runs for moments, and others wait for it: a sleep ends when it should, and a thread that computes
 * gives the processor up at once. Where the system can't do the latter (Linux before 6.12), it stays as it is. */
void nw_device_thread_be_prompt(void);

/* Whether the calling thread serves a device: then it must not wait for one. */
bool nw_device_thread_is_current(void);

#endif
