/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The lock of the system's loader, as the first of our own.
 *
 * The loader holds it while it runs the constructors of a library that is opened and the destructors of one that is
 * closed, and these may contain target regions. So whoever holds it may be in need of anything that the runtime does
 * on its way to a region: find the drivers, open a device, load images. All of that in turn needs the loader. A thread
 * that does such a thing takes the loader's lock before any other, and then waits for nobody who could want it.
 */
#ifndef NW_LOADER_H
#define NW_LOADER_H

/* Calls function(argument) on this thread, which holds the loader's lock meanwhile, and before it no other thread that
 * is in here. The function may open and close libraries, and may get in here again. Threads: any that holds no lock of
 * ours; not those of devices, on which a thread with the lock may wait. Blocks: until constructors and destructors that
 * other threads are running have ended. */
void nw_loader_locked(void (*function)(void *argument), void *argument);

/* After fork, in the child. */
void nw_loader_after_fork(void);

#endif
