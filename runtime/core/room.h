/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device memory that is short: waiting for regions in flight to give theirs back. */
#ifndef NW_ROOM_H
#define NW_ROOM_H

#include "core/construct.h"

/*
 * Called before a construct is decided, since a decision can't wait. Returns at once while the device has more memory
 * left than all entries together could take. Otherwise finds out what the construct needs, and waits for regions in
 * flight as long as that is not there; what is still missing then fails in the decision, with a place.
 * Threads: any; one that serves the device does so while it waits. Called without a lock.
 */
void nw_room_wait(const nw_op_t *op, const nw_map_args_t *args);

#endif
