/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The end of a thread of the program.
 *
 * A thread may end while regions that it has launched are in flight. libomp then waits for them itself, under the lock
 * that every thread needs which libomp meets for the first time or which forms a team: so the regions that it waits for
 * may wait for that lock. Here they are waited for before libomp hears of the thread's end. What a region's end touches
 * of its thread, memory of libomp's and the counts of launcher.h, is there until then.
 */
#ifndef NW_THREAD_END_H
#define NW_THREAD_END_H

#include <stdbool.h>

/*
 * The calling thread is about to launch a region, or to make a host task with dependences: what it launches is waited
 * for at its end from here on, whichever way it ends. Returns false in destructors of keys (pthread_key_create), which
 * come too late: then it must be waited for at once. Costs a test but the first time. Threads: any; devices' own, which
 * launch nothing of their own accord, are left out.
 */
bool nw_thread_end_expect(void);

#endif
