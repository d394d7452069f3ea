/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that serve devices, as against the program's own. */
#ifndef NW_DEVICE_THREAD_H
#define NW_DEVICE_THREAD_H

#include <stdbool.h>

/* What the names begin with by which the system knows such threads. */
#define NW_DEVICE_THREAD_NAMES "nowait-"

/* The calling thread serves a device from now on, and runs where support/processors.h says. A backend's threads call it
 * first. `name`: for top, debuggers and traces; at most 15 characters. */
void nw_device_thread_begin(const char *name);

/* The calling thread has called libomp, which may have bound it then as it binds the program's threads: lets one that
 * serves a device run where it might before. Costs little but the first time. */
void nw_device_thread_met_libomp(void);

/* The calling thread's sleeps end when they should. */
void nw_device_thread_be_punctual(void);

/* The same; and the thread runs for moments, for which a thread that computes gives up its processor at once. Where the
 * system can't do the latter (Linux before 6.12), it stays as it is. */
void nw_device_thread_be_prompt(void);

/* Whether the calling thread serves a device: then it must not wait for one. */
bool nw_device_thread_is_current(void);

#endif
