/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which addresses tasks in flight name in their dependences.
 *
 * libomp alone orders tasks. This table serves one question that libomp answers only by running the task, in a team of
 * several threads on any of them: is there nothing unfinished that this region depends on? If so, the construct
 * dispatches it at once, and libomp gets a task that is under way. The answer errs on one side only: "no" may mean "not
 * known". Addresses share places in the table; a region that names an address counts there until its operation is over;
 * a host task, whose end the runtime doesn't see, until its parent has waited for its children.
 */
#ifndef NW_DEPENDENCES_H
#define NW_DEPENDENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "tasking/libomp.h"

/* Dependences that are looked up; a region with more is left to libomp. */
#define NW_MOST_NAMED 7

/* Of a region, in its slot. Zeroed: names nothing. */
typedef struct nw_named {
    uint16_t n;
    uint16_t places[NW_MOST_NAMED];
} nw_named_t;

/* Counts a region among those that name its dependences. Returns true if nothing that it depends on is unfinished. */
bool nw_dependences_enter(nw_named_t *named, int32_t n, const struct nowait_depend_info *deps);

/* The region's operation is over. Threads: any. */
void nw_dependences_leave(const nw_named_t *named);

/* Counts a child of the task `parent`, made by the calling thread, of whose end the runtime hears nothing. Parents are
 * told apart by their addresses (nw_libomp_current_task); NULL: not known. */
void nw_dependences_note_host(const void *parent, int32_t n, const struct nowait_depend_info *deps);

/* The task `parent` has waited for its children, on the calling thread. */
void nw_dependences_waited(const void *parent);

/* The calling thread ends, with all that it has made. */
void nw_dependences_thread_ends(void);

#endif
