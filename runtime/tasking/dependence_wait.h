/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Dependences without a task of the program's: `taskwait depend`, and the wait of constructs that have depend but are
 * not deferred. libomp waits for both with a loop that never sleeps, and ignores nowait.
 *
 * Here an empty task with the same dependences, the probe, tells when they are met, and the waiting thread sleeps until
 * then where nothing needs it: in a team of one if all that has dependences are regions in place (launcher.h). In a
 * larger team it takes tasks like taskyield does, and sleeps in between; it looks around regularly, since other threads
 * make work without a word.
 */
#ifndef NW_DEPENDENCE_WAIT_H
#define NW_DEPENDENCE_WAIT_H

#include "tasking/libomp.h"

/* The dependences of one construct, as compiled code passes them. libomp may change the lists. */
typedef struct nw_dependence_lists {
    int32_t n;
    struct nowait_depend_info *list;
    int32_t n_noalias;
    struct nowait_depend_info *noalias; /* no address twice; NULL if there are none */
} nw_dependence_lists_t;

/* `taskwait depend(...) nowait`: an empty task with the dependences (OpenMP 5.2, 15.5). Blocks: never. */
void nw_dependence_join(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *lists);

/* Returns when the dependences are met. Blocks. */
void nw_dependence_wait(nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *lists);

/* Says that a region's task has been completed, or that a wait may be over: wakes threads that wait in a team of
 * several. Threads: any. Blocks: never. */
void nw_dependence_wait_event(void);

#endif
