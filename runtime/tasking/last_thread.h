/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The end of a program whose initial thread has ended alone, by pthread_exit or cancelled.
 *
 * The C library ends such a process, by exit(0), when its last thread ends. The runtime's threads never do, and take no
 * signals: a thread that takes them looks for others than these, and calls exit when there are none. What
 * a library keeps threads for, such as libomp for teams of the program's own, keeps the process, as it does without
 * this runtime; a CUDA driver's threads don't, if they have the names that NVIDIA's have.
 */
#ifndef NW_LAST_THREAD_H
#define NW_LAST_THREAD_H

/* Starts that thread. To be called by the initial thread at its end. */
void nw_last_thread_watch(void);

#endif
