/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Dependences without a task of the program's: `taskwait depend`, and the wait of constructs that have depend but are
 * not deferred. libomp waits for both with a loop that never sleeps, and ignores nowait.
 *
 * Where all that has to be waited for are regions, the waiting thread sleeps until they are over. Where libomp has to
 * run host tasks first, an empty task with the same dependences, the probe, tells when they are met; meanwhile the
 * thread takes tasks like taskyield does, and sleeps in between. It looks around regularly, since other threads make
 * work without a word.
 */
#ifndef NW_DEPENDENCE_WAIT_H
#define NW_DEPENDENCE_WAIT_H

#include "tasking/graph.h"

/* `taskwait depend(...) nowait`: an empty task with the dependences (OpenMP 5.2, 15.5). Blocks: never. */
void nw_dependence_join(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *lists);

/* Returns when the dependences are met. Blocks. */
void nw_dependence_wait(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *lists);

/* What a waiting thread's node follows is over. Threads: any. Blocks: never. */
void nw_dependence_met(nw_node_t *node);

/* Says that a region's task has been completed, or that a wait may be over: wakes threads that wait in a team of
 * several. Threads: any. Blocks: never. */
void nw_dependence_wait_event(void);

#endif
