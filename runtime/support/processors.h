/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The processors that threads may run on. A thread begins where its maker may run; with OMP_PROC_BIND libomp binds the
 * program's threads to a place each, the initial one too, and then what that one makes would all be bound to the same.
 * Where libomp is to bind threads, the library's own ones may run wherever the program could when the library was
 * loaded. Otherwise whoever has bound their maker meant it.
 */
#ifndef NW_PROCESSORS_H
#define NW_PROCESSORS_H

#include <sched.h>
#include <stdbool.h>

/* As many as Linux can be built for. */
#define NW_MOST_PROCESSORS 8192

typedef struct nw_processors {
    bool valid;
    cpu_set_t sets[NW_MOST_PROCESSORS / CPU_SETSIZE];
} nw_processors_t;

/* Notes the calling thread's as those of the process. Called once, when the library is loaded, if libomp is to bind
 * threads. */
void nw_processors_remember(void);

/* The calling thread may run on all of the process's too from now on; nothing changes where they have not been noted,
 * or are not the process's any more. */
void nw_processors_use_all(void);

/* The same until nw_processors_return gives it back its own, for what makes threads without being asked where these
 * should run. */
void nw_processors_borrow(nw_processors_t *own_p);
void nw_processors_return(const nw_processors_t *own);

#endif
